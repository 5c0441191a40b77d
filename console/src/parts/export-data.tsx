import { postRequest } from '../data/client.ts'
import { describeRequestFault, makeRequestPath, type PersonRequest } from '../data/personal-data.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import { goToPage } from '../router.ts'
import { Button, Notice } from './form/form.tsx'
import { Card } from './page.tsx'

/** A card that exports the data of a person, or without a number of the whole account. */
export function ExportData({ number }: { number?: string }) {
  const start = useTask(async () => {
    const { id } = await (number
      ? postRequest<PersonRequest>('/api/person/data', { number })
      : postRequest<PersonRequest>('/api/account/data'))
    goToPage(makeRequestPath(id))
  })
  return (
    <Card title={number ? t('Export of data') : t('Export of the account')}>
      <p>
        {number
          ? t(
              'Creates a readable page and a JSON file with all data, and copies of files. Save them within a day.',
            )
          : t(
              'Creates a readable page and a JSON file with the records of this account, without the files of messages. Save them within a day.',
            )}
      </p>
      {start.fault && <Notice kind="wrong">{describeRequestFault(start.fault.message)}</Notice>}
      <div>
        <Button kind={number ? 'primary' : 'plain'} icon="download" task={start}>
          {number ? t('Export the data') : t('Export the account')}
        </Button>
      </div>
    </Card>
  )
}
