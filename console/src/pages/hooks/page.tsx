import { useList } from '../../data/use/use-list.ts'
import { HOOK_TOOLS, type Hook, type HookPreset } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { OnOffBadge, Time } from '../../parts/time.tsx'
import { goToPage, makePageHref } from '../../router.ts'

const COLUMNS: readonly Column<Hook>[] = [
  { title: t('Name'), cell: ({ name }) => name },
  { title: t('Program'), cell: ({ preset }) => HOOK_TOOLS[preset].name },
  {
    title: t('State'),
    cell: ({ enabled }) => <OnOffBadge isOn={enabled} />,
  },
  { title: t('Created'), cell: ({ created }) => <Time at={created} /> },
]

export const Page = () => (
  <ListPage
    title={t('Incoming webhooks')}
    text={t(
      'Monitoring and other programs post to the address of an incoming webhook, and it sends texts.',
    )}
    list={useList<Hook>('hooks')}
    columns={COLUMNS}
    href={({ id }) => makePageHref(`/hooks/${id}`)}
    icon="hooks"
    none={[
      t('No incoming webhooks yet'),
      t(
        'Get a text when a server is down: Alertmanager, Grafana, Uptime Kuma and others need nothing but an address.',
      ),
    ]}
    add={t('New incoming webhook')}
    dialog={(_, close) => <NewHook onClose={close} />}
  />
)

const findName = (preset: unknown) => HOOK_TOOLS[preset as HookPreset].name

const ROWS: readonly FormRow[] = [
  {
    name: 'preset',
    label: t('Program'),
    choices: Object.entries(HOOK_TOOLS).map(([preset, { name }]) => [preset, name] as const),
    hint: t('The program decides what the text says until you write a template.'),
  },
  {
    name: 'name',
    label: t('Name'),
    placeholder: t('The name of the program'),
    write: (typed, { preset }) => String(typed).trim() || findName(preset),
  },
]

const NewHook = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t('New incoming webhook')} onClose={onClose}>
    <RecordForm
      collection="hooks"
      rows={ROWS}
      blank={{ preset: 'alertmanager' }}
      prepare={(fields) => ({ ...fields, enabled: true })}
      action={t('Create the webhook')}
      onSaved={({ id }) => goToPage(`/hooks/${id}`)}
      onCancel={onClose}
    />
  </Dialog>
)
