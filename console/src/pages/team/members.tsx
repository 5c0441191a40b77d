import { useState } from 'preact/hooks'
import type { Member } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { ownSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { FaultNotice } from '../../parts/form/form.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'
import { makeAddressesRow } from '../../parts/rows/common-rows.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { makeMemberColumns, type Person } from './member-columns.tsx'

/** `directory` of members whose directory is gone. */
const FORMER_DIRECTORY = 'former'

export function Members({ people: { members, findName } }: { people: People }) {
  const mine = session.value
  const [bound, setBound] = useState<Member>()
  if (!mine) return null
  const bind = (id: string) => setBound(members.items.find((member) => member.id === id))
  const owner: Person = {
    id: mine.record.id,
    name: findName(mine.record.id),
    role: 'owner',
    notify: ownSettings.value?.notify || 'all',
    since: '',
    addresses: '',
    isByDirectory: false,
    isFormer: false,
  }
  const others = members.items.map(
    ({ id, role, notify, created, addresses, directory }): Person => ({
      id,
      name: findName(id),
      role,
      notify,
      since: created,
      addresses,
      isByDirectory: directory !== '' && directory !== FORMER_DIRECTORY,
      isFormer: directory === FORMER_DIRECTORY,
    }),
  )
  return (
    <Card title={t('Members')}>
      <FaultNotice fault={members.fault} />
      <Table
        caption={t('Members')}
        columns={makeMemberColumns(mine, bind)}
        rows={[owner, ...others]}
      />
      {bound && (
        <AddressesDialog
          member={bound}
          name={findName(bound.id)}
          onClose={() => setBound(undefined)}
        />
      )}
      <ul class="note">
        <li>{t('Viewers read.')}</li>
        <li>{t('Agents also send and answer, and change contacts, groups and templates.')}</li>
        <li>
          {t(
            'Admins also manage devices, keys, webhooks, campaigns, automatic answers and the team.',
          )}
        </li>
        <li>{t('Only the owner changes the email, the password and the account itself.')}</li>
        {others.some(({ isFormer }) => isFormer) && (
          <li>
            {t(
              'A directory that is gone added members marked “By a former directory”. They stay until somebody removes them.',
            )}
          </li>
        )}
        {others.some(({ isByDirectory }) => isByDirectory) && (
          <li>
            {t(
              'The directory of your organization adds and removes members marked “By the directory”, and changes their role.',
            )}
          </li>
        )}
      </ul>
    </Card>
  )
}

const AddressesDialog = (props: { member: Member; name: string; onClose: () => void }) => (
  <Dialog title={t('Addresses of {name}', { name: props.name })} onClose={props.onClose}>
    <RecordForm
      collection="members"
      record={props.member}
      rows={[makeAddressesRow(t('May use the account only from'))]}
      saved={t('Saved')}
      onClose={props.onClose}
    />
  </Dialog>
)
