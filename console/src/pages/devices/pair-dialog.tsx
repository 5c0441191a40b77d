import { useState } from 'preact/hooks'
import { pb, serverUrl } from '../../data/client.ts'
import { APP_URL } from '../../data/device/device-states.ts'
import { addSimulatedPhone } from '../../data/device/simulated-phones.ts'
import { isLoopback } from '../../data/loopback.ts'
import type { Device } from '../../data/records.ts'
import { useLive } from '../../data/use/use-live.ts'
import { useSecondsLeft } from '../../data/use/use-seconds-left.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tx } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Actions, Button, ButtonLink, Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Qr } from '../../parts/qr.tsx'
import { msOf } from '../../parts/time.tsx'
import { to } from '../../router.ts'

interface Pairing {
  readonly code: string
  readonly expires_at: string
  readonly url: string
}

const KINDS = [
  ['android', t('Android phone')],
  ['computer', t('Modem on a computer')],
  ['simulated', t('Simulated phone, to try it out')],
] as const
type Kind = (typeof KINDS)[number][0]

const NAMES: Readonly<Record<Kind, string>> = {
  android: t('Phone'),
  computer: t('Modem'),
  simulated: t('Simulated phone'),
}

export function PairDialog({ onClose, onJoined }: { onClose: () => void; onJoined: () => void }) {
  const [kind, setKind] = useState<Kind>('android')
  const [typed, setTyped] = useState('')
  const [pairing, setPairing] = useState<Pairing>()
  const [device, setDevice] = useState<Device>()
  const name = typed.trim() || NAMES[kind]
  const start = useTask(async () => {
    if (kind === 'simulated') return setDevice(await addSimulatedPhone(name))
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
            choices={KINDS}
            value={kind}
            onValue={(value) => setKind(value as Kind)}
          />
          <TextField
            label={t('Name')}
            name="name"
            hint={t('How you tell it from your other devices, such as desk phone.')}
            placeholder={NAMES[kind]}
            value={typed}
            onValue={setTyped}
          />
          <FormActions busy={start.busy} onCancel={onClose}>
            {kind === 'simulated' ? t('Start a simulated phone') : t('Show the code')}
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
    <p class="muted">{t('It sends from now on. Send a test text through it to see that it works.')}</p>
    <div class="row">
      <Button onClick={onClose}>{t('Close')}</Button>
      <ButtonLink kind="primary" href={to(`/devices/${device.id}`)}>
        {t('Send a test')}
      </ButtonLink>
    </div>
  </div>
)

function useCountdown(at: string): string {
  const seconds = useSecondsLeft(performance.now() + msOf(at) - Date.now())
  if (seconds <= 0) return ''
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const DRIVERS = [
  ['gammu', t('USB modem (gammu-smsd)')],
  ['modemmanager', t('Modem (ModemManager)')],
  ['termux', t('This Android phone (Termux)')],
  ['smpp', t('Account of a carrier (SMPP)')],
  ['simulator', t('None: simulate a phone')],
] as const

/**
 * Instructions for an Android phone: install the app, then scan the code. `url` ends with `#` and the code.
 */
function AndroidPhone({ url, code }: { url: string; code: string }) {
  // a loopback address is useless to a phone: use the address at which this browser reached the server
  const address = isLoopback(url) ? `${serverUrl}/api/devices/pair#${code}` : url
  return (
    <>
      {isLoopback(address) ? (
        <Notice kind="warning">
          <OnlyHere />
        </Notice>
      ) : (
        isUnencrypted(address) && (
          <Notice kind="warning">
            {t(
              "The SMSGate app needs an https address. Put the server behind a proxy with a certificate. To try it in your own network, take the app's insecure build.",
            )}
          </Notice>
        )
      )}
      <div class="devices-pair">
        <Qr text={APP_URL} label={t("QR code of the app's download page")} />
        <p>
          <strong>1.</strong>{' '}
          {tx(
            'Install the app {app} on the phone: open this link there, or point its camera at the picture.',
            {
              app: (
                <a href={APP_URL} target="_blank" rel="noreferrer">
                  SMSGate
                </a>
              ),
            },
          )}
        </p>
        <Qr text={address} label={t('QR code of the address with the code')} />
        <div class="stack">
          <p>
            <strong>2.</strong>{' '}
            {t(
              'Point the phone’s camera at this picture: the page that opens says how to join. Or type the code into the app:',
            )}
          </p>
          <p class="devices-code">{`${code.slice(0, 3)} ${code.slice(3)}`}</p>
        </div>
      </div>
    </>
  )
}

/** The command that starts the server so that other computers can reach it. */
const START = 'HOST=0.0.0.0 npx pocketsms serve'

const OnlyHere = () => (
  <>
    {tx(
      'Only the server’s own computer reaches {serverUrl}. Stop the server and start it with {command}: it prints the address that phones and other computers reach it by. Then open the console by that address.',
      { serverUrl, command: <code>{START}</code> },
    )}
  </>
)

/** Instructions for a computer with a modem: one command pairs it, then sends texts until it is stopped. */
function Computer({ url, code }: { url: string; code: string }) {
  const server = isLoopback(url) ? serverUrl : new URL(url).origin
  const [driver, setDriver] = useState<string>('gammu')
  return (
    <>
      {isLoopback(server) && (
        <Notice kind="warning">
          <OnlyHere />
        </Notice>
      )}
      {isUnencrypted(server) && (
        <Notice kind="warning">
          {t(
            'This address has no encryption (https): texts can be read on the way. Use it in your own network only.',
          )}
        </Notice>
      )}
      <SelectField
        label={t('What sends there')}
        name="driver"
        choices={DRIVERS}
        value={driver}
        onValue={setDriver}
      />
      <p>
        {t(
          'Run this command there. It needs Node 20.3 or later. It joins, and sends for as long as it runs:',
        )}
      </p>
      <CodeBlock code={`npx -y ${server}/agent.tgz start ${server} ${code} --driver ${driver}`} />
      <p class="muted">
        {t(
          'The same command starts it again later. A computer may have several phones and modems: add each of them here.',
        )}
      </p>
    </>
  )
}

/** Whether requests to a URL leave this computer without encryption. */
const isUnencrypted = (url: string) => new URL(url).protocol === 'http:' && !isLoopback(url)
