import { matchAny, pb } from '../../data/client.ts'
import { useCollections } from '../../data/schema.ts'
import { hasWords } from '../../data/search/words.ts'
import { useAnsweredList } from '../../data/use/use-answered-list.ts'
import { useLookup } from '../../data/use/use-known.ts'
import { t } from '../../language/words.ts'
import { useExportLines } from '../../parts/export-lines.ts'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { goToPage, makePageHref, type PageProps } from '../../router.ts'

interface Entry {
  readonly id: string
  readonly created: string
  readonly email: string
  readonly ip: string
  readonly action: string
  readonly collection: string
  readonly record: string
  readonly fields: readonly string[] | null
}

const PATH = '/audit'

const ACTIONS: Readonly<Record<string, string>> = {
  create: t('Created'),
  update: t('Changed'),
  delete: t('Deleted'),
  impersonate: t('Signed in as a user'),
  'sign in': t('Signed in'),
  'sign in refused': t('Sign-in refused'),
  'end session': t('Session ended'),
  'end other sessions': t('Other sessions ended'),
  'add second factor': t('Authenticator app added'),
  'remove second factor': t('Second factor removed'),
  'add passkey': t('Passkey added'),
  'remove passkey': t('Passkey removed'),
  'reset password': t('Password reset'),
  'change email': t('Email changed'),
  'make pairing code': t('Pairing code created'),
  'update settings': t('Settings changed'),
  'create collection': t('Collection created'),
  'update collection': t('Collection changed'),
  'delete collection': t('Collection deleted'),
  'create backup': t('Backup created'),
  'upload backup': t('Backup uploaded'),
  'download backup': t('Backup downloaded'),
  'restore backup': t('Backup restored'),
  'delete backup': t('Backup deleted'),
  'delete logs': t('Logs deleted'),
}

const makeKey = ({ collection, record }: Entry) => (record ? `${collection}/${record}` : '')

/** Fields that name a record, the first that is not empty. */
const NAMES = ['name', 'email', 'label', 'title', 'phone', 'number', 'url', 'key'] as const

/** The names of the records that exist. A record without a name has its id. */
async function findNames(keys: readonly string[]): Promise<(readonly [string, string])[]> {
  const byCollection = Map.groupBy(keys, (key) => key.split('/', 1)[0]!)
  const found = [...byCollection].map(async ([collection, members]) => {
    const ids = members.map((key) => key.slice(collection.length + 1))
    const asked = { filter: matchAny('id', ids), skipTotal: true }
    const { items } = await pb.collection(collection).getList(1, ids.length, asked)
    return items.map((record) => {
      const name = NAMES.map((field) => record[field]).find(Boolean)
      return [`${collection}/${record.id}`, String(name ?? record.id)] as const
    })
  })
  return (await Promise.all(found)).flat()
}

const makeColumns = (findName: (key: string) => string | undefined): readonly Column<Entry>[] => [
  {
    title: t('Action'),
    cell: (entry) => (
      <div>
        {ACTIONS[entry.action] ?? entry.action}
        <p class="note breaks">
          {entry.collection} <RecordName entry={entry} name={findName(makeKey(entry))} />
          {entry.fields && entry.fields.length > 0 && `: ${entry.fields.join(', ')}`}
        </p>
      </div>
    ),
  },
  {
    title: t('Who'),
    cell: ({ email, collection }) => email || (collection === 'users' ? t('The user') : '–'),
  },
  {
    title: t('When'),
    cell: ({ created, ip }) => (
      <div>
        <Time at={created} />
        <p class="note">{ip}</p>
      </div>
    ),
  },
]

/** The name of the entry's record, as a link to it. Of a deleted record only the id is left. */
const RecordName = ({
  entry: { collection, record },
  name,
}: {
  entry: Entry
  name: string | undefined
}) => {
  if (name) return <a href={makePageHref(`/collections/${collection}`, { record })}>{name}</a>
  return record ? <span class="mono">{record}</span> : null
}

function makeAuditFilter(words: string): string {
  if (words === '') return ''
  const shown = Object.keys(ACTIONS).filter((action) => hasWords(ACTIONS[action]!, words))
  const found = ['email ~', 'action ~', 'collection ~', 'record =', 'ip ~'].map((field) =>
    pb.filter(`${field} {:words}`, { words }),
  )
  return [...found, matchAny('action', shown)].filter(Boolean).join(' || ')
}

/** The log of what superusers did. It has the names of changed fields, but not their values. */
export function Page({ query }: PageProps) {
  const words = query.get('words') ?? ''
  const page = Number(query.get('page')) || 1
  const filter = makeAuditFilter(words)
  const list = useAnsweredList<Entry>('/api/audit', filter, page, (next) =>
    goToPage(PATH, { words, page: String(next) }),
  )
  const save = useExportLines('/api/audit/export', { filter }, 'audit')
  const collections = new Set(useCollections().value?.items.map(({ name }) => name))
  const named = list.items.filter(({ collection }) => collections.has(collection))
  const findName = useLookup(named.map(makeKey), findNames).get
  return (
    <Frame
      title={t('Audit log')}
      text={t('What superusers did, and second factors of users: who, what, when and from where.')}
      actions={
        <>
          <Button icon="download" task={save}>
            {t('Export')}
          </Button>
          <Button icon="again" onClick={() => void list.reload()}>
            {t('Refresh')}
          </Button>
        </>
      }
    >
      <FaultNotice fault={save.fault} />
      <SearchField
        label={t('Email, action, record or address')}
        value={words}
        onValue={(typed) => goToPage(PATH, { words: typed }, true)}
      />
      <Records
        list={list}
        caption={t('Audit log')}
        columns={makeColumns(findName)}
        empty={
          <Empty icon="check" title={t('Nothing found')}>
            {words
              ? t('No entry contains these words.')
              : t('Changes that superusers make from now on are listed here.')}
          </Empty>
        }
      />
    </Frame>
  )
}
