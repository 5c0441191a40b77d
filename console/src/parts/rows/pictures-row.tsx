import type { RecordModel } from 'pocketbase'
import { useLines } from '../../data/use/use-list.ts'
import { useRecordFiles } from '../../data/use/use-record-files.ts'
import { t } from '../../language/words.ts'
import { ChoosePictures } from '../form/add-pictures.tsx'
import { LinkNotice } from '../link-notice.tsx'
import type { FormRow } from './form-row.ts'

/** The field `attachments` of these collections holds no more. */
const MAX_FILES = 3

type Fields = Readonly<Record<string, unknown>>

/** Whether a text with pictures may have links instead: some line sends no MMS, or there is no line. */
function useSendsLinks(): boolean {
  const lines = useLines().filter(({ enabled }) => enabled)
  return lines.length === 0 || lines.some(({ mms }) => mms !== 'on')
}

/** A row of a record's form for its pictures. `addTo` adds them to what is saved. */
export function usePicturesRow(
  collection: 'auto_answers' | 'sms_templates',
  record: (RecordModel & { readonly attachments: readonly string[] }) | undefined,
): { readonly row: FormRow; addTo(fields: Fields): Fields; forget(): void } {
  const sendsLinks = useSendsLinks()
  const pictures = useRecordFiles(`${collection}.${record?.id ?? 'new'}`, record)
  return {
    row: () => (
      <ChoosePictures
        files={pictures.files}
        lost={pictures.lost}
        onFiles={pictures.set}
        max={MAX_FILES}
      >
        {pictures.files.length > 0 && (
          <>
            <span class="muted">
              {t(
                'By lines that cannot send pictures, the text has links to them, of about 55 characters each.',
              )}
            </span>
            {sendsLinks && <LinkNotice />}
          </>
        )}
      </ChoosePictures>
    ),
    addTo: (fields) => ({ ...fields, ...pictures.changes }),
    forget: pictures.forget,
  }
}
