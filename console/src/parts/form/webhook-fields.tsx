import type { Fault } from '../../data/fault.ts'
import { WEBHOOK_EVENTS, type Webhook } from '../../data/records.ts'
import { EVENT_WORDS } from '../../data/webhooks/webhooks.ts'
import { t } from '../../language/words.ts'
import { CheckList, TextField } from './field.tsx'
import { LineChoice } from './line-choice.tsx'

export type WebhookDraft = Pick<Webhook, 'url' | 'events'> & Required<Pick<Webhook, 'lines' | 'numbers'>>

const EVENTS = WEBHOOK_EVENTS.map((event) => [event, EVENT_WORDS[event]] as const)

/** The address of a webhook, and of what it is called. */
export function WebhookFields({
  value,
  onValue,
  fault,
}: {
  value: WebhookDraft
  onValue: (value: WebhookDraft) => void
  fault: Fault | undefined
}) {
  return (
    <>
      <TextField
        label={t('Address')}
        name="url"
        type="url"
        placeholder="https://shop.example.com/hooks/sms"
        value={value.url}
        onValue={(url) => onValue({ ...value, url })}
        fault={fault}
      />
      <CheckList
        legend={t('Tell it when a message is')}
        name="events"
        choices={EVENTS}
        chosen={value.events}
        onChosen={(events) => onValue({ ...value, events })}
        fault={fault}
      />
      <LineChoice
        legend={t('Only messages of these lines (none: of all)')}
        chosen={value.lines}
        onChosen={(lines) => onValue({ ...value, lines })}
      />
      <TextField
        label={t('Only to and from these numbers (empty: all)')}
        name="numbers"
        placeholder="+4915112345678, +4930*, DHL"
        value={value.numbers}
        onValue={(numbers) => onValue({ ...value, numbers })}
        error={fault?.fields.numbers && t('Write numbers as +4915112345678, with commas between.')}
        hint={t('With commas between. A star stands for any rest, and a name for a sender without a number.')}
      />
    </>
  )
}
