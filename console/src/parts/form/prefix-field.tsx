import { TextField } from './field.tsx'

/** The country code that replaces the leading 0 of phone numbers. */
export const PrefixField = (props: {
  value: string
  onValue: (prefix: string) => void
  error: string | undefined
}) => (
  <TextField
    label="Country of numbers that begin with 0"
    name="prefix"
    type="tel"
    placeholder="+49"
    {...props}
  />
)
