import { useState } from 'preact/hooks'
import { serverUrl } from '../../data/client.ts'
import type { UserSettings, Verification, VerifyService } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import type { State } from '../../data/words/message-states.ts'
import { formatNumber, t, tx } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { Records, TableSection } from '../../parts/list/records.tsx'
import { type Column, makeActionsColumn } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { makePrefixesRow } from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { StateBadge, Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'
import { COUNTRIES, countCountries, listStopped, makeStateColumn, percents } from './countries.tsx'
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
      columns={makeColumns}
      icon="verify"
      none={[
        t('No codes yet'),
        t('One request sends a code, another checks it. The first request creates a service.'),
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

/**
 * Shows to which countries codes are sent, and when one is stopped. The button opens the dialog with all
 * limits.
 */
function Limits({ settings }: { settings: UserSettings | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const floor = settings?.code_approval_floor ?? 0
  return (
    <Card
      title={t('Limits')}
      actions={
        <Button icon="edit" needs="admin" onClick={() => setOpen(true)}>
          {t('Change the limits')}
        </Button>
      }
    >
      <p>
        {t('Sends to: {countries}.', {
          countries:
            settings?.code_destinations.replaceAll(',', ', ') || t('the countries of your lines'),
        })}{' '}
        {floor > 0 && t('Stops a country below {rate}.', { rate: percents.format(floor / 100) })}
      </p>
      {isOpen && <LimitsDialog settings={settings} onClose={() => setOpen(false)} />}
    </Card>
  )
}

const Example = () => (
  <section class="stack">
    <p>
      {tx('From a terminal, with {key} in KEY:', {
        key: <a href={makePageHref('/keys')}>{t('one of your API keys')}</a>,
      })}
    </p>
    <CodeBlock
      code={`curl ${serverUrl}/api/verify -H "X-API-Key: $KEY" --json '{"to":"+4915112345678"}'
curl ${serverUrl}/api/verify/check -H "X-API-Key: $KEY" --json '{"to":"+4915112345678","code":"123456"}'`}
    />
  </section>
)

const makeColumns = (edit: (service: VerifyService) => void): readonly Column<VerifyService>[] => [
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
  makeActionsColumn((service) => [
    { icon: 'edit', words: t('Change {name}', service), onClick: () => edit(service) },
    { icon: 'trash', words: t('Delete {name}', service), onClick: () => deleteService(service) },
  ]),
]

const deleteService = (service: VerifyService) =>
  deleteRecord(
    service,
    {
      title: t('Delete {name}?', service),
      text: t(
        'The codes of {name} are deleted, too. Programs that name the service are refused.',
        service,
      ),
    },
    t('{name} was deleted', service),
  )

const ROWS: readonly FormRow[] = [
  makePrefixesRow(
    'code_destinations',
    t('Sends only to'),
    t(
      'First digits of numbers, such as +49; with a minus those to exclude. Empty: the countries of your lines.',
    ),
    true,
  ),
  [
    { name: 'code_max_per_hour', label: t('Texts to a number in an hour'), placeholder: '5' },
    { name: 'code_max_per_day', label: t('In a day'), placeholder: '10' },
  ],
  [
    { name: 'code_max_per_network', label: t('Codes of a network in an hour'), placeholder: '20' },
    {
      name: 'code_max_per_account',
      label: t('Codes of the account in an hour'),
      placeholder: '5000',
    },
  ],
  {
    name: 'code_approval_floor',
    label: t('Stop a country below this rate, in percent'),
    hint: t('Codes that nobody enters are a sign of fraud. You get a mail. 0: never.'),
  },
  makePrefixesRow(
    'code_stopped',
    t('Stopped countries'),
    t('Country codes that get no codes. Take one out to send there again.'),
  ),
  { name: 'code_quota_share', label: t('Percent of the quota that codes may use (0: all)') },
]

/** The limits of the account's codes, whichever service, hook or sign-in sends them. */
const LimitsDialog = ({
  settings,
  onClose,
}: {
  settings: UserSettings | undefined
  onClose: () => void
}) => (
  <Dialog title={t('Limits of codes')} onClose={onClose} wide>
    <p class="muted">
      {t(
        'The limits apply to all services, one-time passwords and incoming webhooks for codes together. 0: the usual limit.',
      )}
    </p>
    <RecordForm
      collection="user_settings"
      record={settings}
      rows={ROWS}
      draftKey="code-limits"
      saved={t('Limits saved')}
      onClose={onClose}
    />
  </Dialog>
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
  const sample = useList<Verification>('verifications', {
    perPage: SAMPLE,
    fields: 'id,to,country,status',
  })
  const list = useList<Verification>('verifications')
  const findName = ({ service }: Verification) =>
    services.find(({ id }) => id === service)?.name ?? ''
  const name: Column<Verification> = { title: t('Service'), cell: findName }
  return (
    <>
      <TableSection
        title={
          sample.total > SAMPLE
            ? t('Approved by country, of the last {count}', { count: SAMPLE })
            : t('Approved by country')
        }
        none={t('Nothing was sent yet.')}
        columns={[...COUNTRIES, makeStateColumn(settings)]}
        rows={countCountries(sample.items, listStopped(settings))}
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

const STATES: Readonly<Record<Verification['status'], State>> = {
  pending: ['busy', t('Pending')],
  approved: ['good', t('Approved')],
  expired: ['calm', t('Expired')],
  canceled: ['calm', t('Canceled')],
  max_attempts_reached: ['bad', t('Too many tries')],
}

const NUMBER: Column<Verification> = {
  title: t('To'),
  cell: (one) => <PhoneNumber number={one.to} />,
}
const OTHERS: readonly Column<Verification>[] = [
  {
    title: t('State'),
    cell: ({ status }) => <StateBadge state={STATES[status]} />,
  },
  { title: t('Checks'), align: 'end', minor: true, cell: ({ attempts }) => attempts },
  { title: t('Sent'), align: 'end', minor: true, cell: ({ sends }) => formatNumber(sends) },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
  makeActionsColumn(({ message }) =>
    message ? [{ words: t('Message'), href: makePageHref(`/messages/${message}`) }] : [],
  ),
]
