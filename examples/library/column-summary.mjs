/**
 * @typedef {object} ColumnStatistics
 * @property {'number' | 'text' | 'empty'} kind
 * @property {number} count Cells that hold something.
 * @property {number} missing Cells that are empty, blank or absent.
 * @property {number} distinct Different values among the cells that hold something.
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [mean]
 */

// A leading zero makes an identifier (a postal code, an account), whose mean means nothing.
const decimalNumber = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Gathers one column's cells; the column is numeric while every value is a number. */
export class ColumnSummary {
  /** @type {Set<string>} */
  #values = new Set();
  /** @type {number[] | undefined} */
  #numbers = [];
  #count = 0;

  /** @param {string} cell */
  add(cell) {
    const value = cell.trim();
    if (value === '') return;
    this.#count += 1;
    this.#values.add(value);
    const number = decimalNumber.test(value) ? Number(value) : Infinity;
    if (Number.isFinite(number)) this.#numbers?.push(number);
    else this.#numbers = undefined;
  }

  /**
   * @param {number} rowCount Rows too short to have this column included.
   * @returns {ColumnStatistics}
   */
  statistics(rowCount) {
    const counts = { count: this.#count, missing: rowCount - this.#count };
    if (this.#count === 0) return { kind: 'empty', ...counts, distinct: 0 };
    if (!this.#numbers) return { kind: 'text', ...counts, distinct: this.#values.size };
    // 1 and 1.0 are two texts and one number.
    return { kind: 'number', ...counts, distinct: new Set(this.#numbers).size, ...spread(this.#numbers) };
  }
}

/** @param {number[]} numbers */
function spread(numbers) {
  let minimum = Infinity;
  let maximum = -Infinity;
  let sum = 0;
  for (const number of numbers) {
    minimum = Math.min(minimum, number);
    maximum = Math.max(maximum, number);
    sum += number;
  }
  const mean = Number.isFinite(sum)
    ? sum / numbers.length
    : numbers.reduce((total, number) => total + number / numbers.length, 0);
  // Rounding can carry the mean of equal numbers past them.
  return { minimum, maximum, mean: Math.min(maximum, Math.max(minimum, mean)) };
}
