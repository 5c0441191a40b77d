import type { Fault } from '../../data/fault.ts'
import { WEBHOOK_EVENTS, type Webhook } from '../../data/records.ts'
import { EVENT_WORDS } from '../../data/webhooks.ts'
import { t } from '../../language/words.ts'
import { CheckField, TextField } from './field.tsx'

export type WebhookDraft = Pick<Webhook, 'url' | 'events'>

/** The address of a webhook, and what it wants to hear. */
export function WebhookFields({
  value,
  onValue,
  fault,
}: {
  value: WebhookDraft
  onValue: (value: WebhookDraft) => void
  fault: Fault | undefined
}) {
  const choose = (event: (typeof WEBHOOK_EVENTS)[number], isWanted: boolean) => {
    const wanted = WEBHOOK_EVENTS.filter((each) => (each === event ? isWanted : value.events.includes(each)))
    onValue({ ...value, events: wanted })
  }
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
      <fieldset class="fields">
        <legend>{t('Tell it when a message is')}</legend>
        <div class="row">
          {WEBHOOK_EVENTS.map((event) => (
            <CheckField
              key={event}
              name={event}
              label={EVENT_WORDS[event]}
              value={value.events.includes(event)}
              onValue={(isWanted) => choose(event, isWanted)}
            />
          ))}
        </div>
        {fault?.fields.events && (
          <p class="note wrong" role="alert">
            {fault.fields.events}
          </p>
        )}
      </fieldset>
    </>
  )
}
