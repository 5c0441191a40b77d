import { formatLocal, parseDate, parseLocalTime } from '../../data/text/local-time.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card, Reading } from '../../parts/page.tsx'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { Badge } from '../../parts/time.tsx'

interface Person {
  readonly sender: string
  readonly name: string
  readonly role: string
  readonly protected: boolean
  readonly api_keys: readonly { readonly id: string; readonly name: string }[]
}

interface TeamFactors {
  readonly from: string
  readonly people: readonly Person[]
}

const DAY_LENGTH = 10

const ROWS = [
  {
    name: 'second_factor_from',
    label: t('Everybody must have one from'),
    kind: 'date',
    hint: t(
      'From this day on, members without a second factor cannot open this account, and you yourself can only set one up. Sessions in the account end. API keys stay valid. Empty: not required.',
    ),
    read: (stored) => (stored ? formatLocal(parseDate(String(stored))).slice(0, DAY_LENGTH) : ''),
    write: (day) => day && parseLocalTime(`${day}T00:00`),
  },
] as const satisfies Parameters<typeof RowsForm>[0]['rows']

/** Who of the team has a second factor, and from when everybody must. Only the owner sees it. */
export function RequiredFactor() {
  const { value, fault, reload } = useAnswer<TeamFactors>('/api/account/team-factors')
  const save = async (_: object, { second_factor_from }: { second_factor_from?: unknown }) => {
    await saveOwnSettings({ second_factor_from: String(second_factor_from) })
    await reload()
    return t('Saved')
  }
  return (
    <Card title={t('Second factor')}>
      <Reading value={value} fault={fault} />
      {value && (
        <>
          <RowsForm
            draftKey="required-factor"
            rows={ROWS}
            stored={{ second_factor_from: value.from }}
            save={save}
            isQuiet
          />
          <Table caption={t('Second factor')} columns={COLUMNS} rows={value.people.map(toRow)} />
        </>
      )}
    </Card>
  )
}

const toRow = (person: Person) => ({ ...person, id: person.sender })

const COLUMNS: readonly Column<ReturnType<typeof toRow>>[] = [
  { title: t('Name'), cell: ({ name }) => name },
  {
    title: t('Second factor'),
    cell: (person) =>
      person.protected ? (
        <Badge tone="good">{t('Has one')}</Badge>
      ) : (
        <Badge tone="warn">{t('Has none')}</Badge>
      ),
  },
  {
    title: t('API keys that members created'),
    minor: true,
    spare: ({ api_keys }) => api_keys.length === 0,
    cell: ({ role, api_keys }) =>
      role === 'owner' ? '' : api_keys.map(({ name }) => name).join(', ') || '–',
  },
]
