import { t } from '../../language/words.ts'
import { webhooks } from '../collections.ts'

export const WEBHOOK_EVENTS = webhooks.events.values

export const EVENT_WORDS: Readonly<Record<(typeof WEBHOOK_EVENTS)[number], string>> = {
  'message.sent': t('Sent'),
  'message.delivered': t('Delivered'),
  'message.failed': t('Failed'),
  'message.received': t('Received'),
  'audit.recorded': t('Entry of the audit log'),
}

/** The events of a service. Services have no place for an entry of the audit log. */
export const listEvents = (preset: string) =>
  WEBHOOK_EVENTS.filter((event) => preset === '' || event !== 'audit.recorded')

type Fields = Readonly<Record<string, unknown>>

/**
 * The values that a form stores: the format of the service, and none of the events that the form hides for
 * it.
 */
export function fitToService(changes: Fields, all: Fields): Fields {
  const preset = String(all.preset ?? '')
  const events = (all.events ?? []) as readonly string[]
  const shown = listEvents(preset).filter((event) => events.includes(event))
  const isFitting = shown.length === events.length && !('events' in changes)
  return {
    ...changes,
    ...('preset' in changes && { format: preset ? 'template' : '' }),
    ...(!isFitting && { events: shown }),
  }
}
