import { pb } from '../../data/client.ts'
import { saveFile } from '../../data/files/save-file.ts'
import type { Contact, ContactField } from '../../data/record-types.ts'
import type { Groups } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { writeContactsCsv } from './contacts-csv.ts'

/** All contacts that a filter finds, in the order of the list. */
export const readContacts = (filter: string, sort: string): Promise<Contact[]> =>
  pb.collection('contacts').getFullList<Contact>({ filter, batch: 500, sort, sortLanguage: locale })

/** A button that saves the contacts that the page finds as a CSV file. */
export function ExportContacts({
  filter,
  sort,
  groups,
  fields,
  iconOnly,
}: {
  filter: string
  sort: string
  groups: Groups
  fields: readonly ContactField[]
  iconOnly: boolean
}) {
  const work = useTask(async () =>
    saveFile(
      'contacts.csv',
      writeContactsCsv(await readContacts(filter, sort), groups.findName, fields),
    ),
  )
  return (
    <>
      <FaultNotice fault={work.fault} />
      <Button icon="download" iconOnly={iconOnly} task={work}>
        {t('Export')}
      </Button>
    </>
  )
}
