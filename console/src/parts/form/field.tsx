import type { ComponentChildren, InputHTMLAttributes, Ref, TargetedKeyboardEvent } from 'preact'
import { useId } from 'preact/hooks'
import type { Choices } from '../../data/choices.ts'
import type { Fault } from '../../data/fault.ts'

interface FieldProps {
  readonly label: string
  /** The name of the record's field. An error in `fault` for this name is shown. */
  readonly name: string
  readonly hint?: ComponentChildren
  /** The error of the form's last request. */
  readonly fault?: Fault
  /** An error that the page itself found. It is shown instead of an error in `fault`. */
  readonly error?: string
}

/** Attributes that link an input to its label, hint and message. */
interface Ties {
  readonly id: string
  readonly name: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
}

/** A label, the input that `children` renders, and an error or the hint. For custom inputs. */
export function Field(props: FieldProps & { children: (ties: Ties) => ComponentChildren }) {
  const { label, name, hint, fault, error = fault?.fields[name], children } = props
  const id = useId()
  const ties = { id, name, 'aria-describedby': `${id}-note`, 'aria-invalid': Boolean(error) }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(ties)}
      <p class={error ? 'note wrong' : 'note'} id={`${id}-note`} role={error ? 'alert' : undefined}>
        {error || hint}
      </p>
    </div>
  )
}

interface Typed<E extends HTMLElement> extends FieldProps {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly placeholder?: string
  readonly disabled?: boolean
  readonly autofocus?: boolean
  readonly spellcheck?: boolean
  readonly inputRef?: Ref<E>
  readonly onKeyDown?: (event: TargetedKeyboardEvent<E>) => void
}

interface TextProps extends Typed<HTMLInputElement> {
  readonly type?:
    | 'text'
    | 'email'
    | 'password'
    | 'number'
    | 'search'
    | 'tel'
    | 'url'
    | 'date'
    | 'datetime-local'
    | 'time'
  readonly autocomplete?: string
  readonly inputMode?: 'text' | 'numeric' | 'decimal' | 'tel' | 'url'
  readonly min?: string | number
  readonly max?: string | number
  readonly maxLength?: number
}

function splitFieldProps<
  P extends FieldProps & Pick<Typed<HTMLElement>, 'onValue'> & { inputRef?: unknown },
>(props: P) {
  const { label, name, hint, fault, error, onValue, inputRef, ...rest } = props
  const onInput = (event: { currentTarget: { value: string } }) =>
    onValue(event.currentTarget.value)
  return {
    field: { label, name, hint, fault, error },
    input: { ...rest, ref: inputRef as P['inputRef'], onInput },
  }
}

/** An input of one line; `type` is that of HTML. Its value is always a string: convert numbers on submit. */
export function TextField(props: TextProps) {
  const { field, input } = splitFieldProps(props)
  // a cast, because preact types the attributes for each `type` separately
  return (
    <Field {...field}>{(ties) => <input {...(input as InputHTMLAttributes)} {...ties} />}</Field>
  )
}

export function TextArea({ rows = 4, ...props }: Typed<HTMLTextAreaElement> & { rows?: number }) {
  const { field, input } = splitFieldProps(props)
  return <Field {...field}>{(ties) => <textarea rows={rows} {...input} {...ties} />}</Field>
}

/** A menu to choose one value from. `choices`: pairs of value and words. */
export function SelectField({
  choices,
  ...props
}: Typed<HTMLSelectElement> & { choices: Choices }) {
  const { field, input } = splitFieldProps(props)
  return (
    <Field {...field}>
      {(ties) => (
        <select {...input} {...ties}>
          <Options choices={choices} />
        </select>
      )}
    </Field>
  )
}

/** The choices of a menu: pairs of value and words. */
export const Options = ({ choices }: { choices: Choices }) => (
  <>
    {choices.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </>
)

export const CheckField = ({
  label,
  name,
  value,
  onValue,
  disabled,
}: {
  label: ComponentChildren
  name: string
  value: boolean
  onValue: (value: boolean) => void
  disabled?: boolean
}) => (
  <label class="check">
    <input
      type="checkbox"
      name={name}
      checked={value}
      disabled={disabled}
      onChange={(event) => onValue(event.currentTarget.checked)}
    />
    <span>{label}</span>
  </label>
)
