import { t } from '../../language/words.ts'
import type { Message } from '../record-types.ts'
import { isPerson } from '../team/people.ts'

const SENDERS: Readonly<Record<string, (name: string) => string>> = {
  key: (name) => t('API key {name}', { name }),
  campaign: (name) => t('Campaign {name}', { name }),
  hook: (name) => t('Incoming webhook {name}', { name }),
  answer: (name) => t('Automatic answer {name}', { name }),
}

/** Who sent a text: a person's name, or for example `API key Shop`; '' if unknown. */
export function describeSender({ expand }: Message): string {
  const sender = expand?.sent_by
  if (!sender) return ''
  return isPerson(sender) ? sender.name : (SENDERS[sender.kind]?.(sender.name) ?? '')
}
