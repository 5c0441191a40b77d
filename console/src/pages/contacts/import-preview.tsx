import type { Columns, Sheet } from '../../data/files/sheet.ts'
import type { ContactGroup } from '../../data/records.ts'
import { BadRows } from '../../parts/bad-rows.tsx'
import { Button } from '../../parts/form/button.tsx'
import { CheckField, SelectField, TextField } from '../../parts/form/field.tsx'
import { Actions, Notice } from '../../parts/form/form.tsx'
import { PrefixField } from '../../parts/form/prefix-field.tsx'
import { Table } from '../../parts/list/table.tsx'
import type { Plan } from './import-rows.ts'

/** What the user chose for an import. */
export interface Wishes {
  readonly columns: Columns
  /** Of numbers without a country: `+49`, or ''. */
  readonly prefix: string
  /** The id of a group, '' for none, NEW_GROUP for the one called `newGroup`. */
  readonly group: string
  readonly newGroup: string
  readonly overwrite: boolean
}

export const NEW_GROUP = 'new'
const SHOWN = 5
const PREFIX = /^\+[1-9]\d{0,3}$/

/** What would be done, before anything is. */
export function Preview({
  sheet,
  plan,
  wishes,
  groups,
  onWish,
  onRun,
  onBack,
}: {
  sheet: Sheet
  plan: Plan
  wishes: Wishes
  groups: readonly ContactGroup[]
  onWish: (wishes: Wishes) => void
  onRun: () => void
  onBack: () => void
}) {
  const wish = (change: Partial<Wishes>) => onWish({ ...wishes, ...change })
  const setColumn = (change: Partial<Columns>) => wish({ columns: { ...wishes.columns, ...change } })
  const titles = sheet.head.map((title, at) => [String(at), title] as const)
  const isPrefix = wishes.prefix.trim() === '' || PREFIX.test(wishes.prefix.trim())
  const lacksGroup = wishes.group === NEW_GROUP && wishes.newGroup.trim() === ''
  return (
    <div class="form">
      <div class="columns">
        <SelectField
          label="Numbers are in"
          name="phone-column"
          value={String(wishes.columns.phone)}
          onValue={(at) => setColumn({ phone: Number(at) })}
          choices={titles}
        />
        <SelectField
          label="Names are in"
          name="name-column"
          value={String(wishes.columns.name)}
          onValue={(at) => setColumn({ name: Number(at) })}
          choices={[['-1', 'No column'], ...titles]}
        />
        <PrefixField
          value={wishes.prefix}
          onValue={(prefix) => wish({ prefix })}
          error={isPrefix ? undefined : 'Such as +49.'}
        />
        <SelectField
          label="Put all of them into"
          name="into"
          value={wishes.group}
          onValue={(group) => wish({ group })}
          choices={[
            ['', 'No group'],
            [NEW_GROUP, 'A new group…'],
            ...groups.map(({ id, name }) => [id, name] as const),
          ]}
        />
        {wishes.group === NEW_GROUP && (
          <TextField
            label="Name of the new group"
            name="new-group"
            value={wishes.newGroup}
            onValue={(newGroup) => wish({ newGroup })}
          />
        )}
      </div>
      <CheckField
        label="Update names of existing contacts from this file"
        name="overwrite"
        value={wishes.overwrite}
        onValue={(overwrite) => wish({ overwrite })}
      />
      {plan.good.length > 0 && (
        <Table
          caption="The first rows"
          columns={[
            { title: 'Name', cell: ({ name, phone }) => name || phone },
            { title: 'Number', cell: ({ phone }) => <span class="mono">{phone}</span> },
          ]}
          rows={plan.good.slice(0, SHOWN).map((contact) => ({ id: String(contact.row), ...contact }))}
        />
      )}
      <Notice kind={plan.bad.length > 0 ? 'warning' : 'info'}>
        {`${plan.good.length.toLocaleString()} ${plan.good.length === 1 ? 'contact' : 'contacts'} to import`}
        {plan.bad.length > 0 &&
          `, ${plan.bad.length.toLocaleString()} ${plan.bad.length === 1 ? 'row' : 'rows'} to leave out`}
      </Notice>
      <BadRows sheet={sheet} bad={plan.bad} />
      <Actions>
        <Button kind="primary" disabled={plan.good.length === 0 || !isPrefix || lacksGroup} onClick={onRun}>
          {`Import ${plan.good.length.toLocaleString()}`}
        </Button>
        <Button onClick={onBack}>Back</Button>
      </Actions>
    </div>
  )
}
