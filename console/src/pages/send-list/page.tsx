import { useState } from 'preact/hooks'
import type { Sheet } from '../../data/files/sheet.ts'
import { t } from '../../language/words.ts'
import { ChooseFile } from '../../parts/form/choose-file.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import './page.css'
import { ListForm } from './list-form.tsx'

export function Page() {
  const [sheet, setSheet] = useState<Sheet>()
  return (
    <Frame
      title={t('Send to a list')}
      text={t('A campaign with one text per row of a spreadsheet, each with its own values.')}
    >
      {sheet ? (
        <ListForm sheet={sheet} onBack={() => setSheet(undefined)} />
      ) : (
        <Card>
          <ChooseFile
            hint={t(
              'First row: the names of the columns, one of them with the numbers. Then one row per text.',
            )}
            placeholder={t(
              'phone, name, time\n+49 151 12345678, Anna, 7 pm\n+44 7700 900123, Ben, 9 pm',
            )}
            onChoose={setSheet}
          />
        </Card>
      )}
    </Frame>
  )
}
