import { useRef, useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { pb } from '../../data/client.ts'
import { useList } from '../../data/use/use-list.ts'
import { HOOK_TOOLS, type Hook, type HookCall, makeHookUrl } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { makePageHref, type PageProps } from '../../router.ts'
import { Outcome } from './outcome.tsx'
import { Settings, type Unsaved } from './settings.tsx'
import './page.css'
import { useRecord } from '../../data/use/use-record.ts'
import { ExampleCard, makeSample } from './example-card.tsx'

export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Hook>('hooks', id)
  const { record: hook } = read
  if (!hook)
    return (
      <Missing
        read={read}
        icon="hooks"
        title={t('Incoming webhook')}
        gone={t('There is no such incoming webhook')}
        all={[makePageHref('/hooks'), t('All incoming webhooks')]}
      />
    )
  const tool = HOOK_TOOLS[hook.preset].name
  return (
    <Frame
      title={hook.name}
      text={hook.name !== tool && tool}
      back={{ href: makePageHref('/hooks'), words: t('Incoming webhooks') }}
    >
      <Parts hook={hook} />
    </Frame>
  )
}

function Parts({ hook }: { hook: Hook }) {
  const [unsaved, setUnsaved] = useState<Unsaved>({ hook, isChanged: false })
  const [chosen, setChosen] = useState<string>()
  const area = useRef<HTMLTextAreaElement>(null)
  const choose = (body: string) => {
    setChosen(body)
    area.current?.focus()
  }
  return (
    <>
      <Address hook={hook} />
      <div class="columns">
        <Settings hook={hook} onTyped={setUnsaved} />
        <ExampleCard
          hook={hook}
          unsaved={unsaved}
          body={chosen ?? makeSample(unsaved.hook.preset)}
          onBody={setChosen}
          area={area}
        />
      </div>
      <Calls hook={hook} onChoose={choose} />
    </>
  )
}

const Address = ({ hook }: { hook: Hook }) => (
  <Card title={t('Address')}>
    <CodeBlock code={makeHookUrl(hook)} />
    <p>{HOOK_TOOLS[hook.preset].setUp}</p>
    <p class="muted">
      {t('Anybody who knows the address can trigger these texts. Change it if it may have leaked.')}
    </p>
    <div>
      <Button icon="again" onClick={() => void changeHookAddress(hook)}>
        {t('Change the address')}
      </Button>
    </div>
  </Card>
)

const changeHookAddress = ({ id }: Hook) =>
  runConfirmed(
    {
      title: t('Change the address?'),
      text: t(
        'The old address stops working at once: enter the new one in the program that calls.',
      ),
      action: t('Change the address'),
    },
    () => pb.collection('hooks').update(id, { secret: '' }),
    t('The address has changed'),
  )

/** The server keeps this many calls of each hook. */
const KEPT = 10

function Calls({ hook, onChoose }: { hook: Hook; onChoose: (body: string) => void }) {
  const filter = pb.filter('hook = {:id}', { id: hook.id })
  const calls = useList<HookCall>('hook_calls', { filter, perPage: KEPT })
  return (
    <section class="stack">
      <h2>{t('The last calls')}</h2>
      <Records
        list={calls}
        caption={t('The last calls')}
        columns={makeCallColumns(onChoose)}
        empty={
          <Empty icon="hooks" title={t('No calls yet')}>
            {t('Calls to the address are listed here with their results.')}
          </Empty>
        }
      />
    </section>
  )
}

const makeCallColumns = (choose: (body: string) => void): readonly Column<HookCall>[] => [
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
  { title: t('Result'), cell: (call) => <Outcome result={call} /> },
  {
    title: t('Texts'),
    long: true,
    spare: ({ texts }) => !texts?.length,
    cell: (call) => <Texts call={call} />,
  },
  makeActionsColumn(({ body }) =>
    body === '' ? [] : [{ words: t('Use as example'), onClick: () => choose(body) }],
  ),
]

function Texts({ call: { texts, messages } }: { call: HookCall }) {
  const [first, ...others] = texts ?? []
  if (!first) return <>–</>
  const words = t('{name}: {text}', { name: formatPhone(first.to), text: first.text })
  const [id] = messages ?? []
  return (
    <>
      {id ? <a href={makePageHref(`/messages/${id}`)}>{words}</a> : words}
      {others.length > 0 && (
        <span class="muted"> {t('and {count} more', { count: others.length })}</span>
      )}
    </>
  )
}
