import { serverUrl } from '../../data/client.ts'
import type { UserSettings, Verification, VerifyService } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import type { State } from '../../data/words/message-states.ts'
import { formatNumber, t, tx } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { deleteRecord } from '../../parts/dialog/dialog.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { Records, TableSection } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { StateBadge, Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'
import { COUNTRIES, countCountries, listStopped, makeStateColumn } from './countries.tsx'
import { Limits } from './limits.tsx'
import { OF_PUBLIC_PAGES, ServiceDialog } from './service-dialog.tsx'

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
  {
    title: t('Name'),
    cell: ({ name }) => (
      <>
        {name}{' '}
        {name === OF_PUBLIC_PAGES && (
          <span class="muted">{t('Codes of the public pages of groups.')}</span>
        )}
      </>
    ),
  },
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
      text:
        service.name === OF_PUBLIC_PAGES
          ? t(
              'Codes that visitors of public pages have not entered yet stop working. The next visitor of a page creates the service again, with the built-in texts.',
            )
          : t(
              'The codes of {name} are deleted, too. Programs that name the service are refused.',
              service,
            ),
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
  expired: ['calm', t('Expired#code')],
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
  { title: t('Sent#times'), align: 'end', minor: true, cell: ({ sends }) => formatNumber(sends) },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
  makeActionsColumn(({ message }) =>
    message ? [{ words: t('Message'), href: makePageHref(`/messages/${message}`) }] : [],
  ),
]
