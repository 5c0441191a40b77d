import { useRef, useState } from 'preact/hooks'
import { countSegments } from '../../../../src/sms/send/segments.ts'
import { pb } from '../../data/client.ts'
import type { Device } from '../../data/records.ts'
import { requestKey } from '../../data/request-key.ts'
import { useTask } from '../../data/use/use-task.ts'
import { Button } from '../../parts/form/button.tsx'
import { TextArea } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'

/** Words for what the server refuses, where its own are for programs. */
const REFUSALS: Readonly<Record<string, string>> = {
  no_devices: 'None of your devices is online, so nothing was sent. Switch one on and send again.',
  quota_exceeded: 'Your messages of this month are used up.',
}

/**
 * Writes to the number. The answer leaves from the device that heard it last (`device`), so that they know
 * the number.
 */
export function Answer({ number, device }: { number: string; device: Device | undefined }) {
  const [body, setBody] = useState('')
  // one key a text: sent twice by accident, it goes out once
  const key = useRef(requestKey())
  const isFrom = device?.enabled === true
  const send = useTask(async () => {
    await pb.send('/api/sms/send', {
      method: 'POST',
      headers: { 'Idempotency-Key': key.current },
      body: { recipients: [number], body, ...(isFrom && { device_id: device.id }) },
    })
    setBody('')
    key.current = requestKey()
  })
  const change = (text: string) => {
    setBody(text)
    if (send.fault) key.current = requestKey()
    send.forget()
  }
  const submit = () => (body.trim() === '' || send.busy ? undefined : send.run())
  const { segments } = countSegments(body)
  const fault = send.fault && { ...send.fault, message: REFUSALS[send.fault.code] ?? send.fault.message }
  return (
    <Form onSubmit={submit} fault={fault}>
      <TextArea
        label={isFrom ? `Answer from ${device.name || 'the device that heard it'}` : 'Write'}
        name="body"
        value={body}
        onValue={change}
        rows={2}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit()
        }}
        hint={segments > 1 ? `${segments} messages of the network` : 'Ctrl and Enter send, too.'}
      />
      <div class="actions">
        <Button type="submit" kind="primary" icon="send" busy={send.busy} disabled={body.trim() === ''}>
          Send
        </Button>
      </div>
    </Form>
  )
}
