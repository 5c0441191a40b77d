import { useState } from 'preact/hooks'
import { postRequest } from '../../data/client.ts'
import { addSimulatedPhone } from '../../data/device/simulated-phones.ts'
import type { Device } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { useLive } from '../../data/use/use-live.ts'
import { useSecondsLeft } from '../../data/use/use-seconds-left.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tx } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Actions, Button, ButtonLink, Form, FormActions } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { goToPage, makePageHref } from '../../router.ts'
import { AndroidPhone, Computer } from './join.tsx'

interface Pairing {
  readonly code: string
  readonly expires_at: string
  readonly url: string
}

const KINDS = [
  ['android', t('Android phone')],
  ['computer', t('Modem on a computer')],
  ['carrier', t('Account of a carrier')],
  ['simulated', t('Simulated phone, to try it out')],
] as const
type Kind = (typeof KINDS)[number][0]

const NAMES: Readonly<Record<Kind, string>> = {
  android: t('Phone'),
  computer: t('Modem'),
  carrier: '',
  simulated: t('Simulated phone'),
}

const ACTIONS: Readonly<Record<Kind, string>> = {
  android: t('Show the code'),
  computer: t('Show the code'),
  carrier: t('Choose the carrier'),
  simulated: t('Start a simulated phone'),
}

/** Only the owner of an account adds carriers. */
const isOwned = (kind: Kind) => kind === 'carrier'

export function PairDialog({ onClose, onJoined }: { onClose: () => void; onJoined: () => void }) {
  const [kind, setKind] = useState<Kind>('android')
  const [typed, setTyped] = useState('')
  const [pairing, setPairing] = useState<Pairing>()
  const [device, setDevice] = useState<Device>()
  const name = typed.trim() || NAMES[kind]
  const start = useTask(async () => {
    if (kind === 'carrier') return goToPage('/devices/new/carrier')
    if (kind === 'simulated') return setDevice(await addSimulatedPhone(name))
    setPairing(await postRequest<Pairing>('/api/devices/pairing', { name }))
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
    <Dialog title={t('Add a device')} onClose={onClose} wide={pairing !== undefined && !device}>
      {device ? (
        <Joined device={device} onClose={onClose} />
      ) : pairing ? (
        <Join kind={kind} pairing={pairing} onAgain={() => void start.run()} />
      ) : (
        <Form onSubmit={start.run} fault={start.fault}>
          <SelectField
            label={t('What sends the texts')}
            name="kind"
            autofocus
            choices={KINDS.filter(([one]) => !isOwned(one) || hasTeamRole('owner'))}
            value={kind}
            onValue={(value) => setKind(value as Kind)}
          />
          {kind === 'carrier' ? (
            <p class="muted">
              {t(
                'Twilio, Vonage, another pocketsms and others send texts over the internet, without a phone.',
              )}
            </p>
          ) : (
            <TextField
              label={t('Name')}
              name="name"
              hint={t('Your name for the device, such as desk phone.')}
              placeholder={NAMES[kind]}
              value={typed}
              onValue={setTyped}
            />
          )}
          <FormActions busy={start.busy} onCancel={onClose}>
            {ACTIONS[kind]}
          </FormActions>
        </Form>
      )}
    </Dialog>
  )
}

function Join({ kind, pairing, onAgain }: { kind: Kind; pairing: Pairing; onAgain: () => void }) {
  const left = useCountdown(pairing.expires_at)
  if (left === '')
    return (
      <>
        <p role="alert">{t('The code has expired. A code is good for five minutes.')}</p>
        <Actions>
          <Button kind="primary" icon="again" onClick={onAgain}>
            {t('Show a new code')}
          </Button>
        </Actions>
      </>
    )
  return (
    <>
      {kind === 'android' ? (
        <AndroidPhone url={pairing.url} code={pairing.code} />
      ) : (
        <Computer url={pairing.url} code={pairing.code} />
      )}
      <p class="muted" role="status">
        <span class="spinner" aria-hidden="true" />{' '}
        {tx('Waiting for the device to join. The code works once, for {time} more.', {
          time: <strong role="timer">{left}</strong>,
        })}
      </p>
    </>
  )
}

const Joined = ({ device, onClose }: { device: Device; onClose: () => void }) => (
  <div class="devices-joined" role="status">
    <Icon name="check" size={44} />
    <h3>{t('{name} has joined', { name: device.name })}</h3>
    <p class="muted">
      {t('It sends from now on. Send a test text through it to see that it works.')}
    </p>
    <div class="row">
      <Button onClick={onClose}>{t('Close')}</Button>
      <ButtonLink kind="primary" href={makePageHref(`/devices/${device.id}`, { test: '1' })}>
        {t('Send a test')}
      </ButtonLink>
    </div>
  </div>
)

function useCountdown(at: string): string {
  const seconds = useSecondsLeft(performance.now() + parseDate(at) - Date.now())
  if (seconds <= 0) return ''
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
