import { useList } from '../../data/use/use-list.ts'
import { HOOK_TOOLS, type Hook } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Badge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { NewHook } from './new-hook.tsx'

const COLUMNS: readonly Column<Hook>[] = [
  { title: t('Name'), cell: ({ name }) => name },
  { title: t('For'), cell: ({ preset }) => HOOK_TOOLS[preset].name },
  {
    title: t('State'),
    cell: ({ enabled }) => <Badge tone={enabled ? 'good' : 'calm'}>{enabled ? t('On') : t('Off')}</Badge>,
  },
  { title: t('Created'), cell: ({ created }) => <Time at={created} /> },
]

/** Hooks: addresses that turn requests of other programs into texts. */
export const Page = () => (
  <ListPage
    title={t('Hooks')}
    text={t('Monitoring and other programs post to the address of a hook, and it sends texts.')}
    list={useList<Hook>('hooks')}
    columns={COLUMNS}
    href={({ id }) => to(`/hooks/${id}`)}
    icon="hooks"
    none={[
      t('No hooks yet'),
      t(
        'Get a text when a server is down: Alertmanager, Grafana, Uptime Kuma and others need nothing but an address.',
      ),
    ]}
    add={t('New hook')}
    dialog={(_, close) => <NewHook onClose={close} />}
  />
)
