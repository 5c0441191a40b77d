import { pb } from '../../data/client.ts'
import { formatPhone } from '../../data/phone/phone-numbers.ts'
import { useList } from '../../data/use/use-list.ts'
import type { Hook, HookCall, HookResult } from '../../data/webhooks/hooks.ts'
import { inWords } from '../../data/words/fault-sentences.ts'
import type { Tone } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import { Empty } from '../../parts/list/empty.tsx'
import { actionsColumn } from '../../parts/list/list-page.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Badge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'

/** The server keeps this many calls of each hook. */
const KEPT = 10

/** The last calls: body, texts sent, or why none. `onChoose` makes one the example. */
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
          <Empty icon="hooks" title={t('Nothing came yet')}>
            {t('What is posted to the address shows here, with what became of it.')}
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

/** The first text, to the message if it was sent, and how many more there were. */
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

/** The label of each outcome, and why it sends nothing. */
const OUTCOMES: Readonly<Record<HookResult['outcome'], readonly [Tone, string, string?]>> = {
  sent: ['good', t('Sent')],
  waiting: [
    'warn',
    t('Waiting'),
    t('No phone can send now. The texts go out as soon as one can, within a day.'),
  ],
  repeated: ['calm', t('Repeated'), t('The same was sent a short time ago.')],
  resolved: ['calm', t('Resolved'), t('It says that all is well again, which this hook does not send.')],
  skipped: ['calm', t('Left out'), t('The hook sends no bodies like this one, or its text is empty.')],
  limited: ['warn', t('Too many'), t('One text at the end of the hour says how many more there were.')],
  refused: ['bad', t('Refused')],
  disabled: ['calm', t('Off'), t('The hook is off.')],
}

/** Why an outcome sends nothing. */
export const reasonOf = (outcome: HookResult['outcome']): string =>
  OUTCOMES[outcome][2] ?? OUTCOMES[outcome][1]

/** The outcome of a call, or of a trial, and the reason. */
export function Outcome({ result: { outcome, error } }: { result: HookResult }) {
  const [tone, words, reason] = OUTCOMES[outcome]
  const why = error ? inWords(error) : reason
  return (
    <>
      <Badge tone={tone}>{words}</Badge>
      {why && <p class="note">{why}</p>}
    </>
  )
}
