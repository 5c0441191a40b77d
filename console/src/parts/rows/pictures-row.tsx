import type { RecordModel } from 'pocketbase'
import { useRecordFiles } from '../../data/use/use-record-files.ts'
import { t } from '../../language/words.ts'
import { ChoosePictures, useCanSendPictures } from '../form/add-pictures.tsx'
import { LinkNotice } from '../link-notice.tsx'
import type { FormRow } from './form-row.ts'

/** The field `attachments` of these collections holds no more. */
const MAX_FILES = 3

type Fields = Readonly<Record<string, unknown>>

/** A row of a record's form for its pictures. `addTo` adds them to what is saved. */
export function usePicturesRow(
  collection: 'auto_answers' | 'sms_templates',
  record: (RecordModel & { readonly attachments: readonly string[] }) | undefined,
): { readonly row: FormRow; addTo(fields: Fields): Fields; forget(): void } {
  const canSend = useCanSendPictures()
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
                'If no line can send pictures, the text has links to them, of about 55 characters each.',
              )}
            </span>
            {!canSend && <LinkNotice />}
          </>
        )}
      </ChoosePictures>
    ),
    addTo: (fields) => ({ ...fields, ...pictures.changes }),
    forget: pictures.forget,
  }
}
