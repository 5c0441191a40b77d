import type { Ref } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format.ts'
import { countSegments } from '#portable/segments.ts'
import { pb } from '../../data/client.ts'
import { usePreview } from '../../data/use/use-preview.ts'
import { useTask } from '../../data/use/use-task.ts'
import {
  callHook,
  HOOK_TOOLS,
  type Hook,
  type HookCall,
  type HookPreset,
  type HookResult,
  hookUrl,
} from '../../data/webhooks/hooks.ts'
import { t, tn } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { runConfirmed } from '../../parts/dialog/dialog.tsx'
import { TextArea } from '../../parts/form/field.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Bubble } from '../../parts/message/bubble.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { to } from '../../router.ts'
import bodies from './samples.json' with { type: 'json' }
import { Settings, type Unsaved } from './settings.tsx'
import './page.css'
import { useList } from '../../data/use/use-list.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { inWords } from '../../data/words/fault-sentences.ts'
import type { Tone } from '../../data/words/message-states.ts'
import { Empty } from '../../parts/list/empty.tsx'
import { actionsColumn, type Column, Records } from '../../parts/list/table.tsx'
import { Badge, Time } from '../../parts/time.tsx'

export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Hook>('hooks', id)
  const { record: hook } = read
  if (!hook)
    return (
      <Missing
        {...{
          read,
          icon: 'hooks',
          title: t('Incoming webhook'),
          gone: t('There is no such incoming webhook'),
        }}
        all={[to('/hooks'), t('All incoming webhooks')]}
      />
    )
  const tool = HOOK_TOOLS[hook.preset].name
  return (
    <Frame
      title={hook.name}
      text={hook.name !== tool && tool}
      back={{ href: to('/hooks'), words: t('Incoming webhooks') }}
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
        <Try
          hook={hook}
          unsaved={unsaved}
          body={chosen ?? sampleOf(unsaved.hook.preset)}
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
    <CodeBlock code={hookUrl(hook)} />
    <p>{HOOK_TOOLS[hook.preset].setUp}</p>
    <p class="muted">{t('Who knows the address can send these texts. Change it when it may have leaked.')}</p>
    <div>
      <Button icon="again" onClick={() => void change(hook)}>
        {t('Change the address')}
      </Button>
    </div>
  </Card>
)

const change = ({ id }: Hook) =>
  runConfirmed(
    {
      title: t('Change the address?'),
      text: t('The present address ends at once: enter the new one in the program that calls it.'),
      action: t('Change the address'),
    },
    () => pb.collection('hooks').update(id, { secret: '' }),
    t('The address has changed'),
  )

const sampleOf = (preset: HookPreset): string => {
  const body: unknown = bodies[preset]
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2)
}

const SHOWN = 5

function Try({
  hook,
  unsaved: { hook: typed, isChanged },
  body,
  onBody,
  area,
}: {
  hook: Hook
  unsaved: Unsaved
  body: string
  onBody: (body: string) => void
  area: Ref<HTMLTextAreaElement>
}) {
  const { preview, fault } = usePreview<HookResult>('/api/hooks/preview', { hook: typed, body })
  const call = useTask(async () => {
    const { outcome, messages } = await callHook(hook, body)
    if (outcome === 'sent')
      toast(tn('One text is on its way', '{count} texts are on their way', messages.length))
    else toast(reasonOf(outcome))
  })
  const refusal = call.fault ?? fault
  return (
    <Card title={t('Example')}>
      <div class="hook-body">
        <TextArea
          label={t('A body that is posted')}
          name="body"
          rows={10}
          value={body}
          onValue={(text) => {
            call.forget()
            onBody(text)
          }}
          spellcheck={false}
          inputRef={area}
          hint={t('Paste another, or choose one of the last calls below.')}
        />
      </div>
      {refusal && <Notice kind="wrong">{refusal.message}</Notice>}
      <div class="stack" aria-live="polite">
        {preview && <Preview result={preview} />}
      </div>
      <div class="row">
        <Button icon="send" busy={call.busy} disabled={isChanged} onClick={() => void call.run()}>
          {t('Try it')}
        </Button>
        <span class="muted">
          {isChanged
            ? t('Save the settings first.')
            : t('It is posted to the address above, and texts go out.')}
        </span>
      </div>
    </Card>
  )
}

function Preview({ result }: { result: HookResult }) {
  const texts = result.texts ?? []
  return (
    <>
      {result.outcome !== 'sent' && (
        <div>
          <Outcome result={result} />
        </div>
      )}
      {texts.slice(0, SHOWN).map(({ to, text }, at) => (
        <Bubble key={at} who={formatPhone(to)} body={text} segments={countSegments(text).segments} />
      ))}
      {texts.length > SHOWN && <p class="muted">{t('and {count} more', { count: texts.length - SHOWN })}</p>}
    </>
  )
}

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

const OUTCOMES: Readonly<Record<HookResult['outcome'], readonly [Tone, string, string?]>> = {
  sent: ['good', t('Sent')],
  waiting: [
    'warn',
    t('Waiting'),
    t('No phone can send now. The texts go out as soon as one can, within a day.'),
  ],
  repeated: ['calm', t('Repeated'), t('The same was sent a short time ago.')],
  resolved: [
    'calm',
    t('Resolved'),
    t('It says that the problem is solved, which this webhook does not send.'),
  ],
  skipped: ['calm', t('Left out'), t('The webhook sends no bodies like this one, or its text is empty.')],
  limited: ['warn', t('Too many'), t('One text at the end of the hour says how many more there were.')],
  refused: ['bad', t('Refused')],
  disabled: ['calm', t('Off'), t('The incoming webhook is off.')],
}

const reasonOf = (outcome: HookResult['outcome']): string => OUTCOMES[outcome][2] ?? OUTCOMES[outcome][1]

function Outcome({ result: { outcome, error } }: { result: HookResult }) {
  const [tone, words, reason] = OUTCOMES[outcome]
  const why = error ? inWords(error) : reason
  return (
    <>
      <Badge tone={tone}>{words}</Badge>
      {why && <p class="note">{why}</p>}
    </>
  )
}
