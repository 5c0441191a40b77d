import { useState } from 'preact/hooks'
import { useList } from '../../data/use/use-list.ts'
import { HOOK_TOOLS, type Hook } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
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
export function Page() {
  const hooks = useList<Hook>('hooks')
  const [isMaking, setMaking] = useState(false)
  const make = (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      {t('New hook')}
    </Button>
  )
  return (
    <Frame
      title={t('Hooks')}
      text={t('Monitoring and other programs post to the address of a hook, and it sends texts.')}
      actions={hooks.total > 0 && make}
    >
      <Records
        list={hooks}
        caption={t('Hooks')}
        columns={COLUMNS}
        href={({ id }) => to(`/hooks/${id}`)}
        empty={
          <Empty icon="hooks" title={t('No hooks yet')} action={make}>
            {t(
              'Get a text when a server is down: Alertmanager, Grafana, Uptime Kuma and others need nothing but an address.',
            )}
          </Empty>
        }
      />
      {isMaking && <NewHook onClose={() => setMaking(false)} />}
    </Frame>
  )
}
