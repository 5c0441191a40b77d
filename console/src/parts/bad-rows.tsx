import { saveFile } from '../data/files/save-file.ts'
import { type BadRow, type Sheet, writeBadRowsCsv } from '../data/files/sheet.ts'
import { t } from '../language/words.ts'
import { Button } from './form/form.tsx'
import { Table } from './list/table.tsx'

export interface LeftOutWords {
  readonly title: string
  readonly summary: (count: number) => string
  readonly fileName: string
}

const ROWS: LeftOutWords = {
  title: t('Rows left out'),
  summary: (count) => t('Rows left out: {count}', { count }),
  fileName: 'left-out.csv',
}

const SHOWN = 100
/** A list of at most this many rows is open at first. */
const FEW = 5

/**
 * Shows the first rows that an import or a send leaves out, with the reasons, and offers all as a file.
 * `words`: what of the rows is left out, if not all.
 */
export function BadRows({
  sheet,
  bad,
  words: { title, summary, fileName } = ROWS,
}: {
  sheet: Sheet
  bad: readonly BadRow[]
  words?: LeftOutWords
}) {
  if (bad.length === 0) return null
  return (
    <details class="more" open={bad.length <= FEW}>
      <summary>{summary(bad.length)}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section class="bad-rows" tabIndex={0} aria-label={title}>
        <Table
          caption={title}
          columns={[
            { title: t('Row'), cell: ({ row }) => row },
            {
              title: t('What is wrong'),
              long: true,
              cell: ({ why }) => <span class="breaks">{why}</span>,
            },
            { title: t('What it says'), long: true, cell: ({ cells }) => cells.join(' · ') },
          ]}
          rows={bad.slice(0, SHOWN).map((row) => ({ id: `${row.row} ${row.why}`, ...row }))}
        />
      </section>
      <Button icon="download" onClick={() => saveFile(fileName, writeBadRowsCsv(sheet, bad))}>
        {t('Save them as a file')}
      </Button>
    </details>
  )
}
