-- wrk -s post.lua URL -- BODYFILE [FIRST]
-- With FIRST each request names another account: the placeholder EXT-00000000 becomes a running number from FIRST on.
local body, number, fixed
function init(args)
  local file = assert(io.open(args[1], 'rb')); body = file:read('*a'); file:close()
  number = args[2] and tonumber(args[2])
  wrk.method = 'POST'
  wrk.headers['content-type'] = 'application/json'
  wrk.headers['authorization'] = 'Token ' .. (os.getenv('BENCH_TOKEN') or '')
  wrk.body = body
  fixed = wrk.format()
end
function request()
  if not number then return fixed end
  number = number + 1
  return wrk.format('POST', nil, nil, (string.gsub(body, 'EXT%-00000000', string.format('EXT-%08d', number), 1)))
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('RESULT {"perSecond":%.1f,"p50":%.2f,"p99":%.2f,"requests":%d,"failed":%d,"non2xx":%d}\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    summary.requests, e.connect + e.read + e.write + e.timeout, e.status))
end
