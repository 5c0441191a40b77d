import { nameChoices } from '../../data/choices.ts'
import type { Contact, ContactGroup } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { CONSENT_ROWS } from '../../parts/rows/consent-rows.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'

/** Adds an entry to the ledger of consents. Groups that ask for a confirmation need the person's own. */
export function RecordConsent({
  contact,
  groups,
  onClose,
}: {
  contact: Contact
  groups: readonly ContactGroup[]
  onClose: () => void
}) {
  const choices = nameChoices(groups.filter((group) => !group.join_confirm))
  const entry = { contact: contact.id, number: contact.phone, event: 'opt_in', source: 'console' }
  return (
    <Dialog title={t('Record a consent')} onClose={onClose}>
      {contact.opted_out && (
        <Notice kind="warning">
          {t('This person has opted out. Only a consent of a later day counts.')}
        </Notice>
      )}
      <RecordForm
        collection="consents"
        draftKey={`consents.${contact.id}`}
        rows={[
          { name: 'group', label: t('For'), kind: 'select', choices: [['', t('All texts')], ...choices] },
          ...CONSENT_ROWS,
        ]}
        prepare={(fields) => ({ ...fields, ...entry })}
        saved={t('Consent recorded')}
        onClose={onClose}
      />
    </Dialog>
  )
}
