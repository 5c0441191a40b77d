import { formatPhone } from '#portable/phone/format-phone.ts'
import './phone-number.css'

/** A phone number formatted for people, on one line and never cut. Its tooltip is the stored number. */
export const PhoneNumber = ({ number }: { number: string }) => (
  <span class="phone-number" dir="ltr" title={number}>
    {formatPhone(number)}
  </span>
)
