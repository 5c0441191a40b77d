import { useState } from 'preact/hooks'
import { countryOfNumber } from '#portable/phone/format.ts'
import { serverUrl } from '../../data/client.ts'
import { countryName } from '../../data/phone/phone-words.ts'
import type { UserSettings, Verification, VerifyService } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { saveOwnSettings } from '../../data/user-settings/own.ts'
import type { Tone } from '../../data/words/message-states.ts'
import { locale } from '../../language/language.ts'
import { formatNumber, t, tn, tx } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { deleteRecord } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { actionsColumn, type Column, ListPage, Records, TableSection } from '../../parts/list/table.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { Badge, Time } from '../../parts/time.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { to } from '../../router.ts'
import { LimitsDialog } from './limits-dialog.tsx'
import { ServiceDialog } from './service-dialog.tsx'

export function Page() {
  const services = useList<VerifyService>('verify_services', { sort: 'created' })
  const [settings] = useList<UserSettings>('user_settings').items
  return (
    <ListPage
      title={t('Verification codes')}
      text={t(
        'Codes by text that verify a phone number. Each service has its own texts; the limits apply to all.',
      )}
      list={services}
      caption={t('Services')}
      columns={columnsFor}
      icon="verify"
      none={[
        t('No codes yet'),
        t('One request sends a code, another checks it. A first service is made then.'),
      ]}
      add={t('New service')}
      dialog={(service, close) => <ServiceDialog service={service} onClose={close} />}
      after={
        <>
          <Limits settings={settings} />
          {services.total > 0 ? (
            <Verifications services={services.items} settings={settings} />
          ) : (
            !services.loading && <Example />
          )}
        </>
      }
    />
  )
}

/** Says where codes go and when a country is stopped. The button opens the dialog with all limits. */
function Limits({ settings }: { settings: UserSettings | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const floor = settings?.code_approval_floor ?? 0
  return (
    <section class="stack">
      <h2>{t('Limits')}</h2>
      <p>
        {t('Sends to: {countries}.', {
          countries: settings?.code_destinations.replaceAll(',', ', ') || t('the countries of your lines'),
        })}{' '}
        {floor > 0 && t('Stops a country below {rate}.', { rate: percents.format(floor / 100) })}{' '}
        <Button kind="quiet" needs="admin" onClick={() => setOpen(true)}>
          {t('Change the limits')}
        </Button>
      </p>
      {isOpen && <LimitsDialog settings={settings} onClose={() => setOpen(false)} />}
    </section>
  )
}

const Example = () => (
  <section class="stack">
    <p>
      {tx('From a terminal, with {key} in KEY:', {
        key: <a href={to('/keys')}>{t('one of your API keys')}</a>,
      })}
    </p>
    <CodeBlock
      code={`curl ${serverUrl}/api/verify -H "X-API-Key: $KEY" --json '{"to":"+4915112345678"}'
curl ${serverUrl}/api/verify/check -H "X-API-Key: $KEY" --json '{"to":"+4915112345678","code":"123456"}'`}
    />
  </section>
)

const percents = new Intl.NumberFormat(locale, { style: 'percent' })

const columnsFor = (edit: (service: VerifyService) => void): readonly Column<VerifyService>[] => [
  { title: t('Name'), cell: ({ name }) => name },
  {
    title: t('Languages'),
    cell: ({ templates }) => Object.keys(templates ?? {}).join(', ') || t('Built-in texts'),
  },
  {
    title: t('Code'),
    cell: ({ code_length, ttl }) =>
      t('{count} digits, {minutes} min', { count: code_length, minutes: Math.round(ttl / 60) }),
  },
  actionsColumn((service) => [
    { icon: 'edit', words: t('Change {name}', service), onClick: () => edit(service) },
    { icon: 'trash', words: t('Delete {name}', service), onClick: () => remove(service) },
  ]),
]

const remove = (service: VerifyService) =>
  deleteRecord(
    service,
    {
      title: t('Delete {name}?', service),
      text: t('Its codes and what became of them go, too. Programs that name it are refused.'),
    },
    t('{name} was deleted', service),
  )

/** Approval rates are computed from this many of the newest verifications. */
const SAMPLE = 500

function Verifications({
  services,
  settings,
}: {
  services: readonly VerifyService[]
  settings: UserSettings | undefined
}) {
  const sample = useList<Verification>('verifications', { perPage: SAMPLE, fields: 'id,to,country,status' })
  const list = useList<Verification>('verifications')
  const nameOf = ({ service }: Verification) => services.find(({ id }) => id === service)?.name ?? ''
  const name: Column<Verification> = { title: t('Service'), cell: nameOf }
  return (
    <>
      <TableSection
        title={
          sample.total > SAMPLE
            ? t('Approved by country, of the last {count}', { count: SAMPLE })
            : t('Approved by country')
        }
        none={t('Nothing was sent yet.')}
        columns={[...COUNTRIES, stateColumn(settings)]}
        rows={countriesIn(sample.items, stoppedIn(settings))}
      />
      <section class="stack">
        <h2>{t('Last codes')}</h2>
        <Records
          list={list}
          caption={t('Last codes')}
          columns={[...(services.length > 1 ? [NUMBER, name] : [NUMBER]), ...OTHERS]}
          empty={<p class="muted">{t('Nothing was sent yet.')}</p>}
        />
      </section>
    </>
  )
}

const STATES: Readonly<Record<Verification['status'], readonly [Tone, string]>> = {
  pending: ['busy', t('Pending')],
  approved: ['good', t('Approved')],
  expired: ['calm', t('Expired')],
  canceled: ['calm', t('Canceled')],
  max_attempts_reached: ['bad', t('Too many tries')],
}

const NUMBER: Column<Verification> = { title: t('To'), cell: (one) => <PhoneNumber number={one.to} /> }
const OTHERS: readonly Column<Verification>[] = [
  {
    title: t('State'),
    cell: ({ status }) => <Badge tone={STATES[status][0]}>{STATES[status][1]}</Badge>,
  },
  { title: t('Checks'), align: 'end', cell: ({ attempts }) => attempts },
  { title: t('Sent'), align: 'end', cell: ({ sends }) => tn('once', '{count} times', sends) },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
  actionsColumn(({ message }) =>
    message ? [{ words: t('See the message'), href: to(`/messages/${message}`) }] : [],
  ),
]

interface Country {
  readonly id: string
  /** The countries to which the phone numbers belong: several share a code such as `+1`. */
  readonly names: ReadonlySet<string>
  readonly sent: number
  readonly ended: number
  readonly approved: number
}

function countriesIn(verifications: readonly Verification[], stopped: readonly string[]): readonly Country[] {
  const found = new Map<string, Country>(stopped.map((id) => [id, { id, ...NO_CODES }]))
  for (const { country, to, status } of verifications) {
    const { names, sent, ended, approved } = found.get(country) ?? NO_CODES
    found.set(country, {
      id: country,
      names: new Set([...names, countryOfNumber(to)].filter(Boolean)),
      sent: sent + 1,
      ended: ended + Number(status !== 'pending' && status !== 'canceled'),
      approved: approved + Number(status === 'approved'),
    })
  }
  return [...found.values()].sort((a, b) => b.sent - a.sent)
}

const NO_CODES: Omit<Country, 'id'> = { names: new Set(), sent: 0, ended: 0, approved: 0 }

const COUNTRIES: readonly Column<Country>[] = [
  { title: t('Country'), cell: ({ id, names }) => `${id} ${[...names].map(countryName).join(', ')}` },
  { title: t('Sent'), align: 'end', cell: ({ sent }) => formatNumber(sent) },
  { title: t('Approved'), align: 'end', cell: ({ approved }) => formatNumber(approved) },
  {
    title: t('Rate'),
    align: 'end',
    cell: ({ ended, approved }) => (ended > 0 ? percents.format(approved / ended) : '–'),
  },
]

const stoppedIn = (settings: UserSettings | undefined) =>
  settings?.code_stopped.split(',').filter(Boolean) ?? []

/** Says whether a country gets no codes any more, with a button that allows it again. */
const stateColumn = (settings: UserSettings | undefined): Column<Country> => ({
  title: t('State'),
  cell: ({ id }) => {
    const stopped = stoppedIn(settings)
    if (!stopped.includes(id)) return <Badge tone="good">{t('Allowed')}</Badge>
    return (
      <>
        <Badge tone="bad">{t('Stopped')}</Badge>{' '}
        <Button kind="quiet" onClick={() => void allow(stopped, id).then(toast, toastFault)}>
          {t('Allow {country} again', { country: id })}
        </Button>
      </>
    )
  },
})

async function allow(stopped: readonly string[], country: string): Promise<string> {
  await saveOwnSettings({ code_stopped: stopped.filter((id) => id !== country).join(',') })
  return t('{country} gets codes again', { country })
}
