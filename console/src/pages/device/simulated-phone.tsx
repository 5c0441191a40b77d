import { useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { isPlayedHere, receiveText, simulatedTexts } from '../../data/device/simulated-phones.ts'
import type { Device } from '../../data/record-types.ts'
import { rememberSignal } from '../../data/remembered.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Button, Form } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'

/** The number from which the simulated phone receives texts. */
const sender = rememberSignal('simulated-sender', '+4915112345678')

/** The screen of a simulated phone that runs in this browser: its texts, and a form to send it a text. */
export function SimulatedPhone({ device }: { device: Device }) {
  if (!isPlayedHere(device.id)) return null
  const texts = simulatedTexts.value[device.id] ?? []
  return (
    <Card title={t('Simulated phone')}>
      <p class="muted">{t('This browser plays the phone while the console is open.')}</p>
      {texts.length > 0 && (
        <ol class="device-simulated" aria-label={t('Texts of the simulated phone')}>
          {texts.map(({ id, number, body, isReceived }) => (
            <li key={id} class={isReceived ? 'in' : ''}>
              <span class="muted">
                {isReceived
                  ? t('From {number}', { number: formatPhone(number) })
                  : t('To {number}', { number: formatPhone(number) })}
              </span>
              {body}
            </li>
          ))}
        </ol>
      )}
      <Receive device={device.id} />
    </Card>
  )
}

function Receive({ device }: { device: string }) {
  const [body, setBody] = useState('')
  const receive = useTask(async () => {
    await receiveText(device, sender.value, body)
    setBody('')
  })
  return (
    <Form onSubmit={receive.run} fault={receive.fault}>
      <div class="test-text">
        <TextField
          label={t('From')}
          name="from"
          type="tel"
          value={sender.value}
          onValue={(value) => {
            sender.value = value
          }}
        />
        <TextField label={t('Reply')} name="reply" value={body} onValue={setBody} />
        <Button type="submit" icon="in" busy={receive.busy} disabled={body.trim() === ''}>
          {t('Receive this text')}
        </Button>
      </div>
    </Form>
  )
}
