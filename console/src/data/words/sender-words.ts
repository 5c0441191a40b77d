import { t } from '../../language/words.ts'
import type { Message } from '../record-types.ts'
import { isPerson } from '../team/people.ts'

const SENDERS: Readonly<Record<string, (name: string) => string>> = {
  key: (name) => t('API key {name}', { name }),
  campaign: (name) => t('Campaign {name}', { name }),
  hook: (name) => t('Incoming webhook {name}', { name }),
  answer: (name) => t('Automatic answer {name}', { name }),
}

/** Whether the server answered a text by itself, for the account: to HELP, STOP or a word that joins. */
export const isByServer = ({ client_ref, expand }: Message): boolean =>
  client_ref?.startsWith('auto:') === true && isPerson(expand?.sent_by)

/** Who sent a text: a person's name, or for example `API key Shop`; '' if unknown. */
export function describeSender(message: Message): string {
  const sender = message.expand?.sent_by
  if (!sender) return ''
  if (isByServer(message)) return t('The server')
  return isPerson(sender) ? sender.name : (SENDERS[sender.kind]?.(sender.name) ?? '')
}
