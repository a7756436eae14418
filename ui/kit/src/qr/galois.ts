/** Reed-Solomon check bytes over the field of 256 elements that QR codes use. */
const FIELD = 0x11d;

export function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * FIELD);
    product ^= ((b >> bit) & 1) * a;
  }
  return product;
}

/** The polynomial whose roots are the first powers of two, without its leading one. */
function generator(degree: number): number[] {
  const result = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let step = 0; step < degree; step++) {
    for (let at = 0; at < degree; at++) {
      result[at] = multiply(result[at] ?? 0, root) ^ (result[at + 1] ?? 0);
    }
    root = multiply(root, 2);
  }
  return result;
}

/** The check bytes of a block. */
export function remainder(data: readonly number[], degree: number): number[] {
  const divisor = generator(degree);
  const rest = Array<number>(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    divisor.forEach((value, at) => (rest[at] = (rest[at] ?? 0) ^ multiply(value, factor)));
  }
  return rest;
}
