import { saveFile } from '../data/files/save-file.ts'
import { type BadRow, type Sheet, writeBadRowsCsv } from '../data/files/sheet.ts'
import { t } from '../language/words.ts'
import { Button } from './form/form.tsx'
import { Table } from './list/table.tsx'

const SHOWN = 100

/** Shows the first rows that an import or a send leaves out, with the reasons, and offers all as a file. */
export function BadRows({ sheet, bad }: { sheet: Sheet; bad: readonly BadRow[] }) {
  if (bad.length === 0) return null
  return (
    <details class="more">
      <summary>{t('Rows left out: {count}', { count: bad.length })}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section class="bad-rows" tabIndex={0} aria-label={t('Rows left out')}>
        <Table
          caption={t('Rows left out')}
          columns={[
            { title: t('Row'), cell: ({ row }) => row },
            { title: t('What is wrong'), long: true, cell: ({ why }) => why },
            { title: t('What it says'), long: true, cell: ({ cells }) => cells.join(' · ') },
          ]}
          rows={bad.slice(0, SHOWN).map((row) => ({ id: `${row.row} ${row.why}`, ...row }))}
        />
      </section>
      <Button icon="download" onClick={() => saveFile('left-out.csv', writeBadRowsCsv(sheet, bad))}>
        {t('Save them as a file')}
      </Button>
    </details>
  )
}
