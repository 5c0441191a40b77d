import { useRef, useState } from 'preact/hooks'
import { countSegments } from '../../../../src/sms/send/segments.ts'
import { pb } from '../../data/client.ts'
import { deviceName } from '../../data/device/simulated.ts'
import type { Contact, Conversation, Device } from '../../data/records.ts'
import { requestKeys } from '../../data/request-key.ts'
import { userId } from '../../data/session.ts'
import { variablesOf } from '../../data/text/placeholders.ts'
import { segmentsText } from '../../data/text/text-size.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { SelectField, TextArea } from '../../parts/form/field.tsx'
import { Form, Notice } from '../../parts/form/form.tsx'
import { TemplatePicker } from './template-picker.tsx'

/** Words for what the server refuses, where its own are for programs. */
const REFUSALS: Readonly<Record<string, string>> = {
  no_devices: t('None of your devices is online, so nothing was sent. Switch one on and send again.'),
  quota_exceeded: t('Your messages of this month are used up.'),
}
const MAX_DEVICES = 100
/** The choice of no device in particular. */
const ANY = 'any'

/** Makes the record of a conversation that a person starts. One that is there already is as good. */
async function startConversation(number: string): Promise<void> {
  const started = pb.collection('conversations').create({ user: userId(), number })
  await started.catch((error) => {
    if (error?.response?.data?.number?.code !== 'validation_not_unique') throw error
  })
}

/**
 * Writes to the number. The answer leaves from the device that received their last text, so that they know
 * the number, or from another that is chosen.
 */
export function Answer({
  number,
  name,
  conversation,
  contact,
  isContactKnown,
}: {
  number: string
  name: string
  conversation: Conversation | undefined
  contact: Contact | undefined
  /** Whether `contact` is undefined because there is none. */
  isContactKnown: boolean
}) {
  const draft = useDraft(`answer.${number}`, '')
  const body = draft.value
  const [chosen, setChosen] = useState('')
  const [isTried, setTried] = useState(false)
  // sent twice by accident, a text goes out once
  const [keys] = useState(requestKeys)
  // a text whose answer was lost goes again as it was, even when another device has received a text since
  const unanswered = useRef<{ body: string; chosen: string; request: object } | undefined>(undefined)
  const typed = useRef(body)
  typed.current = body
  const devices = useList<Device>('devices', { filter: 'enabled = true', sort: 'name', perPage: MAX_DEVICES })
  const device = devices.items.find(({ id }) => id === (chosen || conversation?.device))
  const send = useTask(async () => {
    if (!conversation) await startConversation(number)
    const asked = { recipients: [number], body, ...(device && { device_id: device.id }) }
    const last = unanswered.current
    const request = last?.body === body && last.chosen === chosen ? last.request : asked
    unanswered.current = { body, chosen, request }
    const headers = { 'Idempotency-Key': keys.of(request) }
    await pb.send('/api/sms/send', { method: 'POST', headers, body: request }).catch((error) => {
      if (error.status >= 400 && error.status < 500) unanswered.current = undefined
      throw error
    })
    unanswered.current = undefined
    keys.renew()
    // what was typed meanwhile is the next text
    if (typed.current === body) draft.saved('')
  })
  const change = (text: string) => {
    draft.set(text)
    setTried(false)
    send.forget()
  }
  const choose = (id: string) => {
    setChosen(id)
    send.forget()
  }
  // the server sends an answer as it is: what is still open would arrive with its braces
  const open = variablesOf(body).map((variable) => `{{${variable}}}`)
  const submit = () => {
    if (body.trim() === '' || send.busy) return
    setTried(true)
    if (open.length === 0) return send.run()
  }
  const { segments } = countSegments(body)
  const fault = send.fault && { ...send.fault, message: REFUSALS[send.fault.code] ?? send.fault.message }
  return (
    <Form onSubmit={submit} fault={fault}>
      {contact?.opted_out && (
        <Notice kind="warning">{t('This number has opted out: texts to it are not sent.')}</Notice>
      )}
      <TextArea
        label={labelOf(device)}
        name="body"
        value={body}
        onValue={change}
        rows={2}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit()
        }}
        error={isTried && open.length > 0 ? openWords(open) : undefined}
        hint={segments > 1 ? segmentsText(segments) : t('Ctrl and Enter send, too.')}
      />
      <div class="conversations-send">
        <TemplatePicker {...{ number, name, contact, isContactKnown }} onPick={change} />
        {devices.items.length > 1 && (
          <SelectField
            label={t('Device')}
            name="device"
            value={device?.id ?? ANY}
            onValue={choose}
            choices={[
              [ANY, t('Any device')],
              ...devices.items.map(
                (device) => [device.id, deviceName(device) || device.phone || device.id] as const,
              ),
            ]}
          />
        )}
        <Button type="submit" kind="primary" icon="send" busy={send.busy} disabled={body.trim() === ''}>
          {t('Send')}
        </Button>
      </div>
    </Form>
  )
}

const openWords = (open: readonly string[]) =>
  t('Write something in the place of {placeholders}.', { placeholders: open.join(', ') })

const labelOf = (device: Device | undefined) => {
  if (!device) return t('Write')
  return device.name
    ? t('Answer from {name}', { name: deviceName(device) })
    : t('Answer from the device that received it')
}
