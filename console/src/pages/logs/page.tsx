import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Device, User } from '../../data/record-types.ts'
import { saveSettings, useSettings } from '../../data/settings.ts'
import { useAnsweredList } from '../../data/use/use-answered-list.ts'
import { useLookup } from '../../data/use/use-known.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog, runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Pager } from '../../parts/list/records.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Page as Frame, Reading } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { go, to } from '../../router.ts'
import { askerColumn, COLUMNS, detailsColumn, type Log } from './columns.tsx'

const PATH = '/logs'
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
  const both = [filter, words && pb.filter(WORDS, { words })].filter(Boolean).map((part) => `(${part})`)
  const { value, fault, reload } = useAnsweredList<Log>('/api/logs', both.join(' && '), page)
  return (
    <Frame
      title={t('Logs')}
      text={t('Requests that failed, of all servers, as long as the settings keep them.')}
      actions={
        <>
          <Button icon="again" onClick={() => void reload()}>
            {t('Refresh')}
          </Button>
          <Button kind="danger" icon="trash" onClick={() => void deleteAll().then(reload)}>
            {t('Delete all logs')}
          </Button>
        </>
      }
    >
      <KeepWhoAsked />
      <SearchField
        label={t('Request, reason or address')}
        value={words}
        onValue={(typed) => go(PATH, { filter, words: typed }, true)}
      />
      <nav class="chips" aria-label={t('Questions')}>
        {QUESTIONS.map(([title, of]) => (
          <a
            key={title}
            href={to(PATH, { filter: of, words })}
            aria-current={of === filter ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <Reading value={value} fault={fault} />
      {value && (
        <Found
          items={value.items}
          isAll={both.length === 0}
          pager={<Pager {...value} goTo={(next) => go(PATH, { filter, words, page: String(next) })} />}
        />
      )}
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

function Found({ items, isAll, pager }: { items: readonly Log[]; isAll: boolean; pager: ComponentChildren }) {
  const [open, setOpen] = useState<Log>()
  const emailOf = useLookup(
    items.map(({ data }) => data.authId ?? ''),
    readEmails,
  ).get
  if (items.length === 0)
    return (
      <Empty icon="check" title={isAll ? t('Nothing failed') : t('No request found')}>
        {isAll
          ? t('Requests that fail from now on are listed here.')
          : t('No stored request matches this search.')}
      </Empty>
    )
  return (
    <>
      <Table
        caption={t('Logs')}
        columns={[...COLUMNS, askerColumn(emailOf), detailsColumn(setOpen)]}
        rows={items}
      />
      {open && <LogDialog log={open} onClose={() => setOpen(undefined)} />}
      {pager}
    </>
  )
}

/** The email addresses of users, and of the users of devices, by id. */
async function readEmails(ids: readonly string[]): Promise<(readonly [id: string, email: string])[]> {
  const filter = ids.map((id) => pb.filter('id = {:id}', { id })).join(' || ')
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
