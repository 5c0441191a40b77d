import { formatPhone } from '../data/phone/phone-numbers.ts'
import './phone-number.css'

/** A phone number as people read it, in one line and never cut. Its tooltip is the number as it is stored. */
export const PhoneNumber = ({ number }: { number: string }) => (
  <span class="phone-number" title={number}>
    {formatPhone(number)}
  </span>
)
