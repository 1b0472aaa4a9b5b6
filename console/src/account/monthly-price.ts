import { money } from '../../../src/domain/usage-price.ts'

/** A month of 30 days, as usage is priced. */
const HOURS = 30n * 24n
const GB = 1024n

export interface Prices {
  zCloudHourPrice: number
  jobZCloudHourPrice: number
  volumeGbMonthPrice: number
}

/** What runs all month, in millionths of the currency. */
export const computeMicros = ({ zCloudHourPrice }: Prices, zClouds: number): bigint =>
  BigInt(Math.round(zClouds)) * BigInt(zCloudHourPrice) * HOURS

export const volumeMicros = ({ volumeGbMonthPrice }: Prices, diskMb: number): bigint =>
  (BigInt(diskMb) * BigInt(volumeGbMonthPrice)) / GB

/** `4.32 EUR`; without the currency where it may not be read. */
export const priceText = (micros: bigint, currency: string | null): string =>
  currency ? `${money(micros, currency)} ${currency}` : money(micros, 'EUR')
