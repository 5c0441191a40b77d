import { useAnswer } from '../../data/use/use-answer.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t, tn } from '../../language/words.ts'
import { FaultNotice } from '../../parts/form/form.tsx'
import { Card, Facts, Loading } from '../../parts/page.tsx'
import type { FieldRow, FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'

interface Next {
  readonly days: number
  /** '' if nothing is deleted. */
  readonly next_at: string
  readonly count: number
}

/** The answer of `GET /api/account/retention`. */
interface Retention {
  readonly mode: 'redact' | 'delete'
  readonly kinds: readonly (Next & { readonly kind: keyof typeof KINDS })[]
  readonly groups: readonly (Next & { readonly id: string; readonly name: string })[]
}

const KINDS = {
  incoming: t('Received texts'),
  outgoing: t('Sent texts'),
  files: t('Files'),
  consents: t('Replaced records of consent'),
}

const makeDaysRow = (kind: keyof typeof KINDS, placeholder: string, hint?: string): FieldRow => ({
  name: `keep_${kind}`,
  label: t('{records} (days)', { records: KINDS[kind] }),
  kind: 'number',
  min: 0,
  max: 36_500,
  placeholder,
  hint,
})

const ROWS: readonly FormRow[] = [
  [
    makeDaysRow('incoming', t('As the server is set')),
    makeDaysRow('outgoing', t('As the server is set')),
  ],
  [
    makeDaysRow('files', t('With their texts')),
    makeDaysRow('consents', t('Never'), t('At the earliest with the sent texts.')),
  ],
]

const BLANK = { keep_incoming: 0, keep_outgoing: 0, keep_files: 0, keep_consents: 0 }

/** How long the account keeps records, and what the server deletes next. */
export function RetentionCard() {
  const { value, fault, reload } = useAnswer<Retention>('/api/account/retention')
  if (ownSettings.value === undefined) return <Loading />
  const save = async (changes: object) => {
    await saveOwnSettings(changes)
    await reload()
    return t('Saved')
  }
  return (
    <Card title={t('Deletion after a time')}>
      <p class="muted">{value?.mode === 'delete' ? DELETES : REDACTS}</p>
      <RowsForm
        draftKey="retention"
        rows={ROWS}
        save={save}
        asks
        stored={ownSettings.value ?? BLANK}
      />
      <FaultNotice fault={fault} />
      {value && (
        <>
          <h3>{t('Next deletion')}</h3>
          <Facts
            facts={[
              ...value.kinds.map(
                (next) => [KINDS[next.kind], describeNextDeletions(next)] as const,
              ),
              ...value.groups.map(
                (next) =>
                  [
                    next.name,
                    <a href={makePageHref(`/groups/${next.id}`)}>{describeNextDeletions(next)}</a>,
                  ] as const,
              ),
            ]}
          />
        </>
      )}
    </Card>
  )
}

const REDACTS = t(
  'The server deletes texts and files that are older. Number, time and status stay.',
)
const DELETES = t('The server deletes messages that are older, with their files.')

const describeNextDeletions = ({ days, next_at, count }: Next): string => {
  if (days === 0) return t('kept for ever')
  if (!next_at) return tn('after 1 day; none yet', 'after {count} days; none yet', days)
  return tn('1 on {date}', '{count} from {date}', count, { date: formatDateTime(next_at) })
}
