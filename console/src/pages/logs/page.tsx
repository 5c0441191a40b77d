import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Device, User } from '../../data/record-types.ts'
import { saveSettings, useSettings } from '../../data/settings.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog, runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Field } from '../../parts/form/field.tsx'
import { Button, Form, Notice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Pager } from '../../parts/list/records.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Page as Frame, Loading } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { go, to } from '../../router.ts'
import { askerColumn, COLUMNS, detailsColumn, type Log } from './columns.tsx'

interface Logs {
  readonly items: readonly Log[]
  readonly page: number
  readonly totalItems: number
  readonly totalPages: number
}

const PATH = '/logs'
const EXAMPLE = 'data.status >= 500 && created >= @todayStart'
const QUESTIONS: readonly (readonly [words: string, filter: string])[] = [
  [t('All'), ''],
  [t('Server errors'), 'data.status >= 500'],
  [t('Refused sends'), 'data.url ~ "/api/sms/send"'],
  [t('Refused sign-ins'), 'data.url ~ "/auth-with-"'],
]

const deleteAll = () =>
  runConfirmed(
    {
      title: t('Delete all logs?'),
      text: t('The logs of all servers are deleted. They cannot be brought back.'),
      action: t('Delete all logs'),
    },
    () => pb.send('/api/logs', { method: 'DELETE' }),
    t('Logs deleted'),
  )

export function Page({ query }: PageProps) {
  const filter = query.get('filter') ?? ''
  const page = Number(query.get('page')) || 1
  const asked = new URLSearchParams({ filter, page: String(page), sort: '-created,-@rowid' })
  const { value, fault, reload } = useAnswer<Logs>(`/api/logs?${asked}`)
  const isWrong = fault?.status === 400
  return (
    <Frame
      title={t('Logs')}
      text={t('Requests that failed, of all servers, as long as the settings keep them.')}
      actions={
        <>
          <Button icon="again" onClick={() => void reload()}>
            {t('Refresh')}
          </Button>
          <Button kind="quiet" icon="trash" onClick={() => void deleteAll().then(reload)}>
            {t('Delete all logs')}
          </Button>
        </>
      }
    >
      <nav class="chips" aria-label={t('Questions')}>
        {QUESTIONS.map(([words, of]) => (
          <a key={words} href={to(PATH, { filter: of })} aria-current={of === filter ? 'page' : undefined}>
            {words}
          </a>
        ))}
      </nav>
      <KeepWhoAsked />
      <Search key={filter} filter={filter} isWrong={isWrong} />
      {fault && !isWrong && <Notice kind="wrong">{fault.message}</Notice>}
      {!fault && (value ? <Found logs={value} filter={filter} /> : <Loading />)}
    </Frame>
  )
}

function Search({ filter, isWrong }: { filter: string; isWrong: boolean }) {
  const [text, setText] = useState(filter)
  return (
    <Form onSubmit={() => go(PATH, { filter: text.trim() })}>
      <Field
        label={t('Filter')}
        name="filter"
        error={isWrong ? t('The server does not understand this filter.') : undefined}
        hint={t('Same syntax as message filters. Fields: created, level, message, data.status…')}
      >
        {(ties) => (
          <div class="row">
            <input
              {...ties}
              type="search"
              spellcheck={false}
              placeholder={EXAMPLE}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" icon="search">
              {t('Find')}
            </Button>
          </div>
        )}
      </Field>
    </Form>
  )
}

const LogDialog = ({ log, onClose }: { log: Log; onClose: () => void }) => (
  <Dialog title={log.message} onClose={onClose} wide>
    <p class="muted">
      <Time at={log.created} />
    </p>
    <CodeBlock code={JSON.stringify(log.data, null, 2)} />
  </Dialog>
)

function Found({ logs, filter }: { logs: Logs; filter: string }) {
  const [open, setOpen] = useState<Log>()
  const { items, page, totalPages, totalItems } = logs
  const emails = useEmails(items.map(({ data }) => data.authId ?? ''))
  const turn = (next: number) => go(PATH, { filter, page: String(next) })
  if (items.length === 0)
    return (
      <Empty icon="check" title={filter ? t('No request found') : t('Nothing failed')}>
        {filter
          ? t('No stored request matches this filter.')
          : t('Requests that fail from now on are listed here.')}
      </Empty>
    )
  return (
    <>
      <Table
        caption={t('Logs')}
        columns={[...COLUMNS, askerColumn(emails), detailsColumn(setOpen)]}
        rows={items}
      />
      {open && <LogDialog log={open} onClose={() => setOpen(undefined)} />}
      <Pager page={page} pages={totalPages} total={totalItems} goTo={turn} />
    </>
  )
}

function useEmails(ids: readonly string[]): ReadonlyMap<string, string> {
  const known = [...new Set(ids)].filter(Boolean)
  const filter = known.map((id) => pb.filter('id = {:id}', { id })).join(' || ')
  const asked = { filter, perPage: 100, live: false, ready: known.length > 0 }
  const users = useList<User>('users', asked)
  const devices = useList<Device>('devices', { ...asked, expand: 'user' })
  return new Map([
    ...devices.items.map(({ id, expand }) => [id, expand?.user?.email ?? ''] as const),
    ...users.items.map(({ id, email }) => [id, email] as const),
  ])
}

function KeepWhoAsked() {
  const { value, reload } = useSettings()
  const keep = useTask(async () => {
    await saveSettings({ logs: { logAuthId: true } })
    await reload()
  })
  if (!value || value.logs.logAuthId) return null
  return (
    <Notice kind="info">
      {t('The logs do not keep which user asked.')}{' '}
      <Button kind="quiet" busy={keep.busy} onClick={() => void keep.run()}>
        {t('Keep it from now on')}
      </Button>
      {keep.fault && <span>{keep.fault.message}</span>}
    </Notice>
  )
}
