import { useState } from 'preact/hooks'
import { pb, serverUrl } from '../../data/client.ts'
import type { Device } from '../../data/records.ts'
import { useLive } from '../../data/use/use-live.ts'
import { useTask } from '../../data/use/use-task.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Actions, Form, FormActions } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Qr } from '../../parts/qr.tsx'
import { to } from '../../router.ts'
import { useCountdown } from './countdown.ts'

/** What `POST /api/devices/pairing` answers. */
interface Pairing {
  readonly code: string
  readonly expires_at: string
  readonly url: string
}

/** Adds a device: a name, then a code to scan or type, then word that it has joined. */
export function PairDialog({ onClose, onJoined }: { onClose: () => void; onJoined: () => void }) {
  const [name, setName] = useState('')
  const [pairing, setPairing] = useState<Pairing>()
  const [device, setDevice] = useState<Device>()
  const start = useTask(async () => {
    setPairing(await pb.send<Pairing>('/api/devices/pairing', { method: 'POST', body: { name } }))
  })
  useLive<Device>(
    'devices',
    '*',
    ({ action, record }) => {
      if (action !== 'create') return
      setDevice(record)
      onJoined()
    },
    () => {},
  )
  return (
    <Dialog title="Add a device" onClose={onClose} wide={pairing !== undefined && !device}>
      {device ? (
        <Joined device={device} onClose={onClose} />
      ) : pairing ? (
        <Code pairing={pairing} onAgain={() => void start.run()} />
      ) : (
        <Form onSubmit={start.run} fault={start.fault}>
          <TextField
            label="Name"
            name="name"
            hint="How you will know it by, such as desk phone."
            autofocus
            value={name}
            onValue={setName}
          />
          <FormActions busy={start.busy} onCancel={onClose}>
            Show the code
          </FormActions>
        </Form>
      )}
    </Dialog>
  )
}

function Code({ pairing, onAgain }: { pairing: Pairing; onAgain: () => void }) {
  const left = useCountdown(pairing.expires_at)
  if (left === '')
    return (
      <>
        <p role="alert">The code is over. A code is good for five minutes.</p>
        <Actions>
          <Button kind="primary" icon="again" onClick={onAgain}>
            Show a new code
          </Button>
        </Actions>
      </>
    )
  return (
    <>
      <div class="devices-pair">
        <Qr text={pairing.url} label="Picture of the address with the code" />
        <div class="stack">
          <p>
            Point the phone's camera at the picture: what opens there says how to join. Or type the code into
            the app:
          </p>
          <p class="devices-code">{`${pairing.code.slice(0, 3)} ${pairing.code.slice(3)}`}</p>
          <p class="muted">
            Good once, for <strong role="timer">{left}</strong> more.
          </p>
        </div>
      </div>
      <div class="stack">
        <p>On a computer with a modem, or for a simulated phone:</p>
        <CodeBlock code={`npx pocketsms agent pair ${serverUrl} ${pairing.code}`} />
      </div>
      <p class="row muted" role="status">
        <span class="spinner" aria-hidden="true" /> Waiting for the device to join…
      </p>
    </>
  )
}

const Joined = ({ device, onClose }: { device: Device; onClose: () => void }) => (
  <div class="devices-joined" role="status">
    <Icon name="check" size={44} />
    <h3>{device.name} has joined</h3>
    <p class="muted">It takes its turn from now on. Send a text through it to see that it works.</p>
    <div class="row">
      <Button onClick={onClose}>Close</Button>
      <ButtonLink kind="primary" href={to(`/devices/${device.id}`)}>
        Go to the device
      </ButtonLink>
    </div>
  </div>
)
