import { useEffect, useRef, useState } from 'preact/hooks'
import { codeOfCountry, isCountry } from '#portable/phone/numbering-plans.ts'
import { readTypedPhone } from '#portable/phone/read-typed-phone.ts'
import { postRequest } from '../data/client.ts'
import { requestKeys } from '../data/connection/request-key.ts'
import { useCountry } from '../data/phone/default-country.ts'
import { describePhoneFault } from '../data/phone/phone-words.ts'
import type { Message } from '../data/record-types.ts'
import { rememberForPerson } from '../data/remember-for-person.ts'
import { useRecord } from '../data/use/use-record.ts'
import { useTask } from '../data/use/use-task.ts'
import { translateFailureReason } from '../data/words/message-states.ts'
import { t } from '../language/words.ts'
import { makePageHref } from '../router.ts'
import { NumberCountry } from './form/country-field.tsx'
import { TextField } from './form/field.tsx'
import { Button, Form } from './form/form.tsx'
import { Card } from './page.tsx'
import { MessageStatus } from './time.tsx'
import './test-text.css'

const number = rememberForPerson('test-number', '')

/**
 * Sends a test text through a device, and shows its state until it has arrived. `device`: its id. `isAsked`:
 * whether the page was opened for the test, which then takes the focus.
 */
export function TestText({ device, isAsked = false }: { device: string; isAsked?: boolean }) {
  const to = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (!isAsked) return
    to.current?.focus({ preventScroll: true })
    to.current?.scrollIntoView({ block: 'center' })
  }, [isAsked])
  const [body, setBody] = useState(t('A test from pocketsms'))
  const [message, setMessage] = useState('')
  const [isTried, setTried] = useState(false)
  const [country, setCountry] = useCountry()
  // idempotency keys: a test that is requested twice by accident is sent once
  const [keys] = useState(() => requestKeys())
  const { phone, fault } = readTypedPhone(number.value, country)
  const send = useTask(async () => {
    const request = { recipients: [phone], body, device_id: device, ttl: 600 }
    const { message_ids } = await postRequest<{ message_ids: string[] }>('/api/sms/send', request, {
      headers: { 'Idempotency-Key': keys.of(request) },
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
        <div class="test-text">
          <TextField
            label={t('To')}
            name="to"
            type="tel"
            placeholder={isCountry(country) ? `+${codeOfCountry(country)} …` : '+49 151 12345678'}
            error={isTried && fault ? `${describePhoneFault(fault)}.` : undefined}
            inputRef={to}
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
      <MessageStatus message={record} /> {translateFailureReason(record.error_message)}
      <a href={makePageHref(`/messages/${id}`)}>{t('See the message')}</a>
    </p>
  )
}
