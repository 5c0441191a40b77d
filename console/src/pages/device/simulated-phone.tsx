import { useState } from 'preact/hooks'
import { isPlayedHere, receiveText, simulatedTexts } from '../../data/device/simulated-phones.ts'
import { formatPhone } from '../../data/phone/phone-numbers.ts'
import type { Device } from '../../data/records.ts'
import { remembered } from '../../data/remembered.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'

/** The number that texts to the simulated phone come from. */
const sender = remembered('simulated-sender', '+4915112345678')

/** The screen of a simulated phone that this browser plays: what it sent, and a way to text it. */
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
    await receiveText(device, sender.value.replace(/[\s()/-]/g, ''), body)
    setBody('')
  })
  return (
    <Form onSubmit={receive.run} fault={receive.fault}>
      <div class="device-test">
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
