-- Redis has a clock but no calendar. Converts days since 1970-01-01 to proleptic Gregorian dates,
-- in cycles of 400 years that begin in March.
local floor = math.floor

local function first_of_month(year, month)
  if month <= 2 then year = year - 1 end
  local era = floor(year / 400)
  local year_of_era = year - era * 400
  local day_of_year = floor((153 * (month + (month > 2 and -3 or 9)) + 2) / 5)
  local day_of_era = year_of_era * 365 + floor(year_of_era / 4) - floor(year_of_era / 100)
  return era * 146097 + day_of_era + day_of_year - 719468
end

-- Returns the month of a day as 'YYYY-MM', and the first day of the next month.
local function month_of(day)
  local shifted = day + 719468
  local era = floor(shifted / 146097)
  local day_of_era = shifted - era * 146097
  local year_of_era = floor(
    (day_of_era - floor(day_of_era / 1460) + floor(day_of_era / 36524)
      - floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era
    - (365 * year_of_era + floor(year_of_era / 4) - floor(year_of_era / 100))
  local from_march = floor((5 * day_of_year + 2) / 153)
  local month = from_march < 10 and from_march + 3 or from_march - 9
  local year = year_of_era + era * 400
  if month <= 2 then year = year + 1 end
  local next_first = month == 12 and first_of_month(year + 1, 1) or first_of_month(year, month + 1)
  return string.format('%04d-%02d', year, month), next_first
end

-- A window is a minute, hour or day of the clock; `at` is its number since 1970.
local WINDOWS = { { 'minute', 60 }, { 'hour', 3600 }, { 'day', 86400 } }
local FIELDS = {
  'minute', 'minute_at', 'hour', 'hour_at', 'day', 'day_at', 'month', 'month_at'
}
