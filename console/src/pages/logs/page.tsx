import { useState } from 'preact/hooks'
import { matchAny, pb } from '../../data/client.ts'
import type { Device, User } from '../../data/record-types.ts'
import { saveSettings, useSettings } from '../../data/settings.ts'
import { useAnsweredList } from '../../data/use/use-answered-list.ts'
import { useLookup } from '../../data/use/use-known.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog, runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { Badge, Time } from '../../parts/time.tsx'
import { goToPage, makePageHref, type PageProps } from '../../router.ts'

const PATH = '/logs'
const QUESTIONS: readonly (readonly [words: string, filter: string])[] = [
  [t('All'), ''],
  [t('Server errors'), 'data.status >= 500'],
  [t('Refused sends'), 'data.url ~ "/api/sms/send"'],
  [t('Refused sign-ins'), 'data.url ~ "/auth-with-"'],
]

const deleteAllLogs = () =>
  runConfirmed(
    {
      title: t('Delete all logs?'),
      text: t('The logs of all servers are deleted and cannot be restored.'),
      action: t('Delete all logs'),
    },
    () => pb.send('/api/logs', { method: 'DELETE' }),
    t('Logs deleted'),
  )

const WORDS = 'message ~ {:words} || data.error ~ {:words} || data.userIP ~ {:words}'

export function Page({ query }: PageProps) {
  const filter = query.get('filter') ?? ''
  const words = query.get('words') ?? ''
  const page = Number(query.get('page')) || 1
  const both = [filter, words && pb.filter(WORDS, { words })]
    .filter(Boolean)
    .map((part) => `(${part})`)
  const list = useAnsweredList<Log>('/api/logs', both.join(' && '), page, (next) =>
    goToPage(PATH, { filter, words, page: String(next) }),
  )
  const [open, setOpen] = useState<Log>()
  const findEmail = useLookup(
    list.items.map(({ data }) => data.authId ?? ''),
    readEmails,
  ).get
  return (
    <Frame
      title={t('Logs')}
      text={t('Requests that failed, of all servers, as long as the settings keep them.')}
      actions={
        <>
          <Button icon="again" onClick={() => void list.reload()}>
            {t('Refresh')}
          </Button>
          <Button kind="danger" icon="trash" onClick={() => void deleteAllLogs().then(list.reload)}>
            {t('Delete all logs')}
          </Button>
        </>
      }
    >
      <KeepWhoAsked />
      <SearchField
        label={t('Request, reason or address')}
        value={words}
        onValue={(typed) => goToPage(PATH, { filter, words: typed }, true)}
      />
      <nav class="chips" aria-label={t('Filters')}>
        {QUESTIONS.map(([title, of]) => (
          <a
            key={title}
            href={makePageHref(PATH, { filter: of, words })}
            aria-current={of === filter ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <Records
        list={list}
        caption={t('Logs')}
        columns={[...COLUMNS, makeUserColumn(findEmail), makeDetailsColumn(setOpen)]}
        empty={
          both.length === 0 ? (
            <Empty icon="check" title={t('Nothing failed')}>
              {t('Requests that fail from now on are listed here.')}
            </Empty>
          ) : (
            <Empty icon="check" title={t('No request found')}>
              {t('No stored request matches this search.')}
            </Empty>
          )
        }
      />
      {open && <LogDialog log={open} onClose={() => setOpen(undefined)} />}
    </Frame>
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

/** The email addresses of users, and of the users of devices, by id. */
async function readEmails(
  ids: readonly string[],
): Promise<(readonly [id: string, email: string])[]> {
  const filter = matchAny('id', ids)
  const asked = { filter, skipTotal: true }
  const [users, devices] = await Promise.all([
    pb.collection<User>('users').getList(1, ids.length, asked),
    pb.collection<Device>('devices').getList(1, ids.length, { ...asked, expand: 'user' }),
  ])
  return [
    ...devices.items.map(({ id, expand }) => [id, expand?.user?.email ?? ''] as const),
    ...users.items.map(({ id, email }) => [id, email] as const),
  ]
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
      {t('Logs do not record the user of a request.')}{' '}
      <Button kind="quiet" task={keep}>
        {t('Record users from now on')}
      </Button>
      {keep.fault && <span>{keep.fault.message}</span>}
    </Notice>
  )
}

interface Log {
  readonly id: string
  readonly created: string
  readonly message: string
  readonly data: {
    readonly status?: number
    /** The caller's auth collection; '' for a guest. */
    readonly auth?: string
    /** The id of the caller, if the setting logs.logAuthId is on. */
    readonly authId?: string
    readonly error?: string
  }
}

const REFUSED = 400
const SERVER_FAULT = 500
const Status = ({ data: { status = SERVER_FAULT } }: Log) => (
  <Badge tone={status >= SERVER_FAULT ? 'bad' : status >= REFUSED ? 'warn' : 'good'}>
    {status}
  </Badge>
)

const COLUMNS: readonly Column<Log>[] = [
  {
    title: t('Request'),
    cell: ({ message, data }) => (
      <div class="breaks">
        <span class="mono">{message}</span>
        <p class="note">{data.error}</p>
      </div>
    ),
  },
  { title: t('Status'), cell: Status },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
]

const makeUserColumn = (findEmail: (id: string) => string | undefined): Column<Log> => ({
  title: t('User'),
  cell: ({ data: { auth, authId = '' } }) => {
    const email = findEmail(authId)
    return email ? (
      <a href={makePageHref('/users', { search: email })}>{email}</a>
    ) : (
      auth || t('a guest')
    )
  },
})

const makeDetailsColumn = (open: (log: Log) => void): Column<Log> =>
  makeActionsColumn((log) => [{ words: t('Details'), onClick: () => open(log) }])
