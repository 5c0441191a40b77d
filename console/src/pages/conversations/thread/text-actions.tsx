import type { ComponentProps } from 'preact'
import type { Message } from '../../../data/record-types.ts'
import { hasTeamRole } from '../../../data/session.ts'
import { chooseShownState } from '../../../data/words/message-states.ts'
import { SendAgain } from '../../../parts/message/send-again.tsx'
import { WaitingActions } from '../../../parts/message/waiting-actions.tsx'

type Props = ComponentProps<typeof SendAgain> & { readonly texts: readonly Message[] }

/** What one can do with a scheduled or failed text. For the texts of a campaign, its page has the buttons. */
export function TextActions({ texts, ...rest }: Props) {
  const { message } = rest
  // may() is called first, so that it always runs: it reads a signal
  if (!hasTeamRole('agent') || message.expand?.sent_by?.kind === 'campaign') return null
  if (isScheduled(message)) return <WaitingActions message={message} kind="quiet" />
  return isFailure(message, texts) ? <SendAgain {...rest} kind="quiet" /> : null
}

export const isScheduled = ({ status, scheduled_at }: Message): boolean =>
  status === 'pending' && scheduled_at !== ''

/** Whether a text failed, and neither was canceled by a person nor sent again. */
export const isFailure = (message: Message, texts: readonly Message[]): boolean =>
  chooseShownState(message) === 'failed' &&
  !texts.some(({ client_ref }) => client_ref === `retry:${message.id}`)
