import { useState } from 'preact/hooks'
import { serverUrl } from '../../data/client.ts'
import type { UserSettings, VerifyService } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { t, tx } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { deleteRecord } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { actionsColumn } from '../../parts/list/row-actions.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'
import { to } from '../../router.ts'
import { percents } from './countries.tsx'
import { LimitsDialog } from './limits-dialog.tsx'
import { ServiceDialog } from './service-dialog.tsx'
import { Verifications } from './verifications.tsx'

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

/** Says where codes go and when a country is stopped. The button opens the dialog with all limits. */
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
          countries: settings?.code_destinations.replaceAll(',', ', ') || t('the countries of your lines'),
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
        key: <a href={to('/keys')}>{t('one of your API keys')}</a>,
      })}
    </p>
    <CodeBlock
      code={`curl ${serverUrl}/api/verify -H "X-API-Key: $KEY" --json '{"to":"+4915112345678"}'
curl ${serverUrl}/api/verify/check -H "X-API-Key: $KEY" --json '{"to":"+4915112345678","code":"123456"}'`}
    />
  </section>
)

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
      text: t('The codes of {name} are deleted, too. Programs that name the service are refused.', service),
    },
    t('{name} was deleted', service),
  )
