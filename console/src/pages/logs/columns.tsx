import { t } from '../../language/words.ts'
import { actionsColumn } from '../../parts/list/row-actions.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Badge, Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'

export interface Log {
  readonly id: string
  readonly created: string
  readonly level: number
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

const ERROR = 8
const SERVER_FAULT = 500
const Level = ({ level, data: { status } }: Log) => {
  if (level < ERROR) return <Badge tone="good">{t('Went well')}</Badge>
  return <Badge tone={(status ?? 0) >= SERVER_FAULT ? 'bad' : 'warn'}>{t('Error')}</Badge>
}

export const COLUMNS: readonly Column<Log>[] = [
  { title: t('Request'), long: true, cell: ({ message }) => <span class="mono">{message}</span> },
  { title: t('Level'), minor: true, cell: Level },
  { title: t('Status'), align: 'end', cell: ({ data }) => data.status ?? '–' },
  { title: t('Why'), long: true, spare: ({ data }) => !data.error, cell: ({ data }) => data.error ?? '' },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
]

export const askerColumn = (emails: ReadonlyMap<string, string>): Column<Log> => ({
  title: t('User'),
  cell: ({ data: { auth, authId = '' } }) => {
    const email = emails.get(authId)
    return email ? <a href={to('/users', { search: email })}>{email}</a> : auth || t('a guest')
  },
})

export const detailsColumn = (open: (log: Log) => void): Column<Log> =>
  actionsColumn((log) => [{ words: t('Details'), onClick: () => open(log) }])
