import type { ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
import type { Message } from '../../../data/record-types.ts'
import { hasTeamRole } from '../../../data/session.ts'
import { useTask } from '../../../data/use/use-task.ts'
import { chooseShownState } from '../../../data/words/message-states.ts'
import { t } from '../../../language/words.ts'
import { Button } from '../../../parts/form/form.tsx'
import { SendAgain } from '../../../parts/message/send-again.tsx'
import { WaitingActions } from '../../../parts/message/waiting-actions.tsx'
import { canUndo, type UndoneAnswer, undoAnswer } from './undo-answer.ts'

type Props = ComponentProps<typeof SendAgain> & {
  readonly texts: readonly Message[]
  readonly onUndone: (answer: UndoneAnswer) => void
}

/** Actions on a new, scheduled or failed text. Texts of a campaign have buttons on its page. */
export function TextActions({ texts, onUndone, ...rest }: Props) {
  const { message } = rest
  const [isChanging, setChanging] = useState(false)
  // hasTeamRole() is called first, so that it always runs: it reads a signal
  if (!hasTeamRole('agent') || message.expand?.sent_by?.kind === 'campaign') return null
  if (canUndo(message)) return <Undo message={message} onUndone={onUndone} />
  if (isScheduled(message) || isChanging)
    return (
      <WaitingActions
        message={message}
        kind="quiet"
        isChanging={isChanging}
        setChanging={setChanging}
      />
    )
  return isFailure(message, texts) ? <SendAgain {...rest} kind="quiet" /> : null
}

function Undo({ message, onUndone }: Pick<Props, 'message' | 'onUndone'>) {
  const undo = useTask(async () => {
    const undone = await undoAnswer(message)
    if (undone) onUndone(undone)
  })
  return (
    <Button kind="quiet" busy={undo.busy} onClick={() => void undo.run()}>
      {t('Undo')}
    </Button>
  )
}

export const isScheduled = ({ status, scheduled_at }: Message): boolean =>
  status === 'pending' && scheduled_at !== ''

/** Whether a text failed, and neither was canceled by a person nor sent again. */
export const isFailure = (message: Message, texts: readonly Message[]): boolean =>
  chooseShownState(message) === 'failed' &&
  !texts.some(({ client_ref }) => client_ref === `retry:${message.id}`)
