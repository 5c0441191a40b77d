import { useMemo, useRef, useState } from 'preact/hooks'
import { guessColumns, type PersonColumns } from '#portable/phone/guess-columns.ts'
import { nameChoices } from '../../data/choices.ts'
import { makeChoices, readIndexes } from '../../data/files/column-choices.ts'
import type { Sheet } from '../../data/files/sheet.ts'
import { nameCountry } from '../../data/phone/phone-words.ts'
import type { ContactGroup } from '../../data/record-types.ts'
import { t, tn } from '../../language/words.ts'
import { CheckList } from '../../parts/form/choices.tsx'
import { CountryField } from '../../parts/form/country-field.tsx'
import { CheckField, SelectField, TextField } from '../../parts/form/field.tsx'
import { Actions, Button, Notice } from '../../parts/form/form.tsx'
import { Table } from '../../parts/list/table.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { CONSENT_ROWS } from '../../parts/rows/consent-rows.ts'
import { findError, Rows } from '../../parts/rows/rows.tsx'
import { makeTyped, type Values } from '../../parts/rows/values.ts'
import { type NewContact, type Plan, toMemberName } from './import-plan.ts'
import { LeftOut } from './left-out.tsx'

export interface Wishes {
  readonly columns: PersonColumns
  /** The country to which numbers without a country code belong, as ISO 3166 alpha-2, or ''. */
  readonly country: string
  /** Indexes of the columns, other than name and phone, that become fields of the contacts. */
  readonly kept: readonly number[]
  /** The group that the contacts join: an id, '' for none, NEW_GROUP for a new one named `newGroup`. */
  readonly group: string
  readonly newGroup: string
  readonly overwrite: boolean
  /** The consent that all of them gave elsewhere, as typed; undefined for none. */
  readonly consent: Values | undefined
}

export const NEW_GROUP = 'new'
const SHOWN = 5

export const listKeptRows = ({ kept, columns }: Wishes): readonly number[] =>
  kept.filter((at) => !isColumnTaken(columns, at))

const isColumnTaken = ({ phones, names }: PersonColumns, at: number) =>
  phones.includes(at) || names.includes(at)

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
  const [isTried, setTried] = useState(false)
  const wish = (change: Partial<Wishes>) => onWish({ ...wishes, ...change })
  const setColumn = (change: Partial<PersonColumns>) =>
    wish({ columns: { ...wishes.columns, ...change } })
  const { phones, names } = useMemo(
    () => guessColumns(sheet.head, sheet.rows, wishes.country),
    [sheet],
  )
  const lacksGroup = wishes.group === NEW_GROUP && wishes.newGroup.trim() === ''
  const form = useRef<HTMLDivElement>(null)
  const submit = () => {
    setTried(true)
    const lacksConsent = CONSENT_ROWS.some(
      (row) => wishes.consent && findError(row, wishes.consent),
    )
    if (!lacksGroup && !lacksConsent) return onRun()
    // the wrong field can be far above the button
    requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
    )
  }
  return (
    <div class="form" ref={form}>
      <div class="columns">
        <SelectField
          label={t('Numbers are in')}
          name="phone-column"
          value={wishes.columns.phones.join()}
          onValue={(value) => setColumn({ phones: readIndexes(value) })}
          choices={makeChoices(sheet.head, phones)}
        />
        <SelectField
          label={t('Names are in')}
          name="name-column"
          value={wishes.columns.names.join()}
          onValue={(value) => setColumn({ names: readIndexes(value) })}
          choices={[['', t('No column')], ...makeChoices(sheet.head, names)]}
        />
        <CountryField value={wishes.country} onValue={(country) => wish({ country })} />
        <SelectField
          label={t('Put all of them into')}
          name="into"
          value={wishes.group}
          onValue={(group) => wish({ group })}
          choices={[['', t('No group')], [NEW_GROUP, t('A new group…')], ...nameChoices(groups)]}
        />
        {wishes.group === NEW_GROUP && (
          <TextField
            label={t('Name of the new group')}
            name="new-group"
            value={wishes.newGroup}
            onValue={(newGroup) => wish({ newGroup })}
            error={isTried && lacksGroup ? t('Fill this in.') : undefined}
          />
        )}
      </div>
      <KeptColumns sheet={sheet} wishes={wishes} onKeep={(kept) => wish({ kept })} />
      <CheckField
        label={t('Update names and fields of existing contacts from this file')}
        name="overwrite"
        value={wishes.overwrite}
        onValue={(overwrite) => wish({ overwrite })}
      />
      <CheckField
        label={t('All of them have agreed to get texts')}
        name="consent"
        value={wishes.consent !== undefined}
        onValue={(isGiven) => wish({ consent: isGiven ? makeTyped(CONSENT_ROWS, {}) : undefined })}
      />
      {wishes.consent && (
        <>
          <Rows
            rows={CONSENT_ROWS}
            form={{
              values: wishes.consent,
              fault: undefined,
              isTried,
              change: (part) => wish({ consent: { ...wishes.consent, ...part } }),
            }}
          />
          <p class="note">{t('People who opted out stay opted out.')}</p>
        </>
      )}
      {plan.good.length > 0 && (
        <Table
          caption={t('The first rows')}
          columns={[
            { title: t('Name'), cell: ({ name, phone }) => name || <PhoneNumber number={phone} /> },
            { title: t('Number'), cell: ({ phone }) => <PhoneNumber number={phone} /> },
            ...listKeptRows(wishes).map((at) => ({
              title: sheet.head[at]!,
              cell: ({ data }: NewContact) => data[toMemberName(sheet.head[at]!)] ?? '–',
            })),
          ]}
          rows={plan.good
            .slice(0, SHOWN)
            .map((contact) => ({ id: String(contact.row), ...contact }))}
        />
      )}
      <Notice kind={plan.bad.length + plan.misfits.length > 0 ? 'warning' : 'info'}>
        {tn('1 contact to import', '{count} contacts to import', plan.good.length)}
        {plan.bad.length > 0 &&
          tn(', 1 row to leave out', ', {count} rows to leave out', plan.bad.length)}
      </Notice>
      {plan.bad.length > 0 && wishes.country && (
        <p class="note">
          {t(
            'Numbers without a country code are read as those of {country}. You can change that above.',
            {
              country: nameCountry(wishes.country),
            },
          )}
        </p>
      )}
      <LeftOut sheet={sheet} bad={plan.bad} misfits={plan.misfits} />
      <Actions>
        <Button kind="primary" disabled={plan.good.length === 0} onClick={submit}>
          {t('Import {count}', { count: plan.good.length })}
        </Button>
        <Button onClick={onBack}>{t('Back')}</Button>
      </Actions>
    </div>
  )
}

/** Asks which columns, besides name and phone, become contact fields: templates can then use `{{city}}`. */
function KeptColumns({
  sheet,
  wishes,
  onKeep,
}: {
  sheet: Sheet
  wishes: Wishes
  onKeep: (kept: readonly number[]) => void
}) {
  const others = sheet.head
    .map((title, at) => [String(at), title] as const)
    .filter(([at]) => !isColumnTaken(wishes.columns, Number(at)))
  if (others.length === 0) return null
  return (
    <CheckList
      legend={t('Keep as fields of the contacts, in texts as {variable}', {
        variable: `{{${toMemberName(others[0]![1])}}}`,
      })}
      name="keep"
      choices={others}
      chosen={wishes.kept.map(String)}
      onChosen={(kept) => onKeep(kept.map(Number))}
    />
  )
}
