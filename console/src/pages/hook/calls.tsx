import { formatPhone } from '#portable/phone/format.ts'
import { pb } from '../../data/client.ts'
import { useList } from '../../data/use/use-list.ts'
import type { Hook, HookCall } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import { actionsColumn } from '../../parts/list/row-actions.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { Outcome } from './outcome.tsx'

/** The server keeps this many calls of each hook. */
const KEPT = 10

export function Calls({ hook, onChoose }: { hook: Hook; onChoose: (body: string) => void }) {
  const filter = pb.filter('hook = {:id}', { id: hook.id })
  const calls = useList<HookCall>('hook_calls', { filter, perPage: KEPT })
  return (
    <section class="stack">
      <h2>{t('The last calls')}</h2>
      <Records
        list={calls}
        caption={t('The last calls')}
        columns={columnsFor(onChoose)}
        empty={
          <Empty icon="hooks" title={t('No calls yet')}>
            {t('Calls to the address are listed here with their results.')}
          </Empty>
        }
      />
    </section>
  )
}

const columnsFor = (choose: (body: string) => void): readonly Column<HookCall>[] => [
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
  { title: t('Result'), cell: (call) => <Outcome result={call} /> },
  {
    title: t('Texts'),
    long: true,
    spare: ({ texts }) => !texts?.length,
    cell: (call) => <Texts call={call} />,
  },
  actionsColumn(({ body }) =>
    body === '' ? [] : [{ words: t('Use as example'), onClick: () => choose(body) }],
  ),
]

function Texts({ call: { texts, messages } }: { call: HookCall }) {
  const [first, ...others] = texts ?? []
  if (!first) return <>–</>
  const words = `${formatPhone(first.to)}: ${first.text}`
  const [id] = messages ?? []
  return (
    <>
      {id ? <a href={to(`/messages/${id}`)}>{words}</a> : words}
      {others.length > 0 && <span class="muted"> {t('and {count} more', { count: others.length })}</span>}
    </>
  )
}
