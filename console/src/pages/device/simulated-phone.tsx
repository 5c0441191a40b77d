import { useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { isPlayedHere, receiveText, simulatedTexts } from '../../data/device/simulated-phones.ts'
import type { Device } from '../../data/record-types.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Button, Form } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'

/** The number from which a simulated phone that has sent nothing receives texts. */
const STRANGER = '+4915112345678'

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
      <Receive device={device.id} last={texts.findLast(({ isReceived }) => !isReceived)?.number} />
    </Card>
  )
}

/** A form for a text to the phone. `last`: the number that the phone wrote to last, which then answers. */
function Receive({ device, last = STRANGER }: { device: string; last: string | undefined }) {
  const [typed, setTyped] = useState<string>()
  const [body, setBody] = useState('')
  const sender = typed ?? last
  const receive = useTask(async () => {
    await receiveText(device, sender, body)
    setBody('')
  })
  return (
    <Form onSubmit={receive.run} fault={receive.fault}>
      <div class="test-text">
        <TextField label={t('From')} name="from" type="tel" value={sender} onValue={setTyped} />
        <TextField label={t('Reply')} name="reply" value={body} onValue={setBody} />
        <Button type="submit" icon="in" busy={receive.busy} disabled={body.trim() === ''}>
          {t('Receive this text')}
        </Button>
      </div>
    </Form>
  )
}
