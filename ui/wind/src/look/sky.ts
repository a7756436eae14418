/** Sunrise, sunset and the phase of the moon; formulas of J. Meeus, "Astronomical Algorithms". */

const DAY = 86400;
const RADIANS = Math.PI / 180;
/** Seconds from 1970 to noon of 1 January 2000. */
const J2000 = 946728000;
/** The upper edge of the sun is at the horizon, with refraction. */
const HORIZON = -0.833;

export interface SunTimes {
  /** Null during polar day and polar night. */
  rise: number | null;
  set: number | null;
  /** Whether the sun stays up all day; undefined if it rises or sets. */
  up?: boolean;
}

interface Sun {
  /** In radians. */
  declination: number;
  /** Seconds by which the sun is ahead of the clock. */
  ahead: number;
}

function sunAt(unix: number): Sun {
  const century = (unix - J2000) / DAY / 36525;
  const mean = (280.46646 + 36000.76983 * century) * RADIANS;
  const anomaly = (357.52911 + 35999.05029 * century) * RADIANS;
  const centre =
    (1.914602 - 0.004817 * century) * Math.sin(anomaly) +
    0.019993 * Math.sin(2 * anomaly) +
    0.000289 * Math.sin(3 * anomaly);
  const longitude = mean + (centre - 0.00569) * RADIANS;
  const tilt = (23.439291 - 0.0130042 * century) * RADIANS;
  const right = Math.atan2(Math.cos(tilt) * Math.sin(longitude), Math.cos(longitude));
  const turn = mean - 0.0057183 * RADIANS - right;
  const ahead = Math.atan2(Math.sin(turn), Math.cos(turn)) / (2 * Math.PI);
  return {
    declination: Math.asin(Math.sin(tilt) * Math.sin(longitude)),
    ahead: ahead * DAY,
  };
}

/** Returns the times around the noon of a place that is nearest to a moment. */
export function sunTimes(lat: number, lon: number, unix: number): SunTimes {
  const shift = (lon / 360) * DAY;
  const day = Math.floor((unix + shift) / DAY) * DAY + DAY / 2 - shift;
  const noon = day - sunAt(day).ahead;
  const up = lat * RADIANS;
  const times: SunTimes = { rise: null, set: null };
  for (const side of [-1, 1] as const) {
    let moment = noon;
    // The sun moves on during the day: three rounds are exact to a few seconds.
    for (let round = 0; round < 3; round++) {
      const { declination, ahead } = sunAt(moment);
      const cosine =
        (Math.sin(HORIZON * RADIANS) - Math.sin(up) * Math.sin(declination)) /
        (Math.cos(up) * Math.cos(declination));
      if (Math.abs(cosine) > 1) return { rise: null, set: null, up: cosine < -1 };
      moment = day - ahead + (side * Math.acos(cosine) * DAY) / (2 * Math.PI);
    }
    times[side < 0 ? 'rise' : 'set'] = moment;
  }
  return times;
}

/** Whether the sun is above the horizon of a place in the middle of an hour. */
export function isLight(lat: number, lon: number, hour: number): boolean {
  const middle = hour + 1800;
  const { rise, set, up } = sunTimes(lat, lon, middle);
  if (rise === null || set === null) return up === true;
  return middle >= rise && middle < set;
}

/** Returns 0 for a new moon, 0.25 for the first quarter, 0.5 for a full moon. */
export function moonPhase(unix: number): number {
  const days = (unix - J2000) / DAY;
  const sun = (357.529 + 0.98560028 * days) * RADIANS;
  const moon = (134.963 + 13.06499295 * days) * RADIANS;
  // How far the moon is ahead of the sun.
  const distance = (297.85 + 12.19074912 * days) * RADIANS;
  // The largest deviations of the moon and the sun from a steady pace, in degrees.
  const more =
    6.289 * Math.sin(moon) +
    1.274 * Math.sin(2 * distance - moon) +
    0.658 * Math.sin(2 * distance) -
    2.1 * Math.sin(sun);
  const phase = distance / (2 * Math.PI) + more / 360;
  return phase - Math.floor(phase);
}
