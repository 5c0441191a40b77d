import { useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format.ts'
import { readTyped } from '#portable/phone/typed.ts'
import { pb } from '../../data/client.ts'
import { isPlayedHere, receiveText, simulatedTexts } from '../../data/device/simulated-phones.ts'
import { requestKeys } from '../../data/line/request-key.ts'
import { useCountry } from '../../data/phone/country.ts'
import { phoneFaultWords } from '../../data/phone/phone-words.ts'
import type { Device, Message } from '../../data/records.ts'
import { remembered } from '../../data/remembered.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { useTask } from '../../data/use/use-task.ts'
import { failureReason } from '../../data/words/failure-reasons.ts'
import { t } from '../../language/words.ts'
import { NumberCountry } from '../../parts/form/country-field.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Button, Form } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { MessageStatus } from '../../parts/time.tsx'
import { to } from '../../router.ts'

const number = remembered('test-number', '')

export function TestText({ device }: { device: Device }) {
  const [body, setBody] = useState(t('A test from pocketsms'))
  const [message, setMessage] = useState('')
  const [isTried, setTried] = useState(false)
  const [country, setCountry] = useCountry()
  // idempotency keys: a test that is sent twice by accident goes out once
  const [keys] = useState(() => requestKeys())
  const { phone, fault } = readTyped(number.value, country)
  const send = useTask(async () => {
    const request = { recipients: [phone], body, device_id: device.id, ttl: 600 }
    const { message_ids } = await pb.send<{ message_ids: string[] }>('/api/sms/send', {
      method: 'POST',
      headers: { 'Idempotency-Key': keys.of(request) },
      body: request,
    })
    keys.renew()
    setMessage(message_ids[0] ?? '')
  })
  const submit = () => {
    setTried(true)
    if (phone) return send.run()
  }
  return (
    <Card title={t('Test')}>
      <Form onSubmit={submit} fault={send.fault}>
        <div class="device-test">
          <TextField
            label={t('To')}
            name="to"
            type="tel"
            placeholder="+49 151 12345678"
            error={isTried && fault ? `${phoneFaultWords(fault)}.` : undefined}
            value={number.value}
            onValue={(value) => {
              number.value = value
            }}
          />
          <TextField label={t('Text')} name="body" value={body} onValue={setBody} />
          <Button type="submit" icon="send" busy={send.busy}>
            {t('Send a test')}
          </Button>
        </div>
        <NumberCountry value={country} onValue={setCountry} />
      </Form>
      {message && <Outcome id={message} />}
    </Card>
  )
}

function Outcome({ id }: { id: string }) {
  const { record } = useRecord<Message>('sms_messages', id)
  if (!record) return null
  return (
    <p class="row" role="status">
      <MessageStatus message={record} /> {failureReason(record.error_message)}
      <a href={to(`/messages/${id}`)}>{t('See the message')}</a>
    </p>
  )
}

/** The number from which the simulated phone receives texts. */
const sender = remembered('simulated-sender', '+4915112345678')

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
