<?php
// Scripts of plain PHP and Laravel, one a family, cut down to one sale: what each sends, and by what it decides.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $family, $order] = settings();

/** @return array{int, ?array<string, mixed>} HTTP status and reply */
function post(string $path, string $body, string $authorization, array $more = [], array $options = []): array
{
    global $address;
    $reply = send("$address$path", [
        CURLOPT_CUSTOMREQUEST => 'POST',
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_HTTPHEADER => ["Authorization: $authorization", 'Content-Type: application/json', ...$more],
    ] + $options, $http);
    return [$http, json_decode($reply, true)];
}

function conclude(bool $isSold, bool $isOpen, ?array $reply): never
{
    tell($isSold ? 'delivered' : ($isOpen ? 'pending' : 'refunded'), null, ['reference' => $reply['ident'] ?? null]);
}

$a = ['network' => 1, 'phone' => $order['phone'], 'plan_type' => 'VTU', 'bypass' => true, 'amount' => 100];
$b = ['network' => 1, 'mobile_number' => $order['phone'], 'amount' => 100, 'Ported_number' => true, 'airtime_type' => 'VTU'];
$laravel = [CURLOPT_USERAGENT => 'GuzzleHttp/7', CURLOPT_TIMEOUT => 30];
switch ($family) {
    case 'semmatweb':
        $body = '{
    "network": 1,
    "amount":100,
    "mobile_number": "' . $order['phone'] . '",
    "Ported_number": true,
    "airtime_type": "VTU"
}';
        [, $reply] = post('/api/topup/', $body, "Token $key", [], [CURLOPT_ENCODING => '', CURLOPT_TIMEOUT => 0]);
        conclude(in_array($reply['Status'] ?? '', ['successful', 'processing'], true), false, $reply);
    case 'semmatweb-bwsub':
        $body = json_encode(['network' => 1, 'plan' => 102, 'mobile_number' => $order['phone'], 'Ported_number' => true]);
        [, $reply] = post('/api/data/', $body, "Token  $key");
        conclude(($reply['Status'] ?? '') == 'successful', false, $reply);
    case 'habukhan':
        [$name, $pin] = explode(':', $key);
        [, $login] = post('/api/login/verify/user', json_encode(['username' => $name, 'password' => $pin]), '');
        $body = json_encode([...$a, 'request-id' => $order['id']]);
        [, $reply] = post('/api/topup/', $body, 'Token ' . $login['token'], [], [CURLOPT_TIMEOUT => 30]);
        conclude($reply['status'] == 'success', $reply['status'] != 'fail', $reply);
    case 'guzzle-a':
        [$http, $reply] = post('/api/topup/', json_encode($a), "Token $key", ['Accept: application/json'], $laravel);
        conclude($http >= 200 && $http < 300 && $reply['status'] === 'success', false, $reply);
    case 'guzzle-b':
        [, $reply] = post('/api/topup/', json_encode($b), "Token $key", ['Accept: application/json'], $laravel);
        conclude($reply['Status'] === 'successful', false, $reply);
    case 'two-format-strict':
        [$http, $reply] = post('/api/topup/', json_encode([...$a, 'request-id' => $order['id']]), "Token $key");
        $words = [$reply['status'], $reply['Status']];
        $isSold = $http === 200 && $words === ['success', 'successful'] && $reply['request-id'] === $order['id'];
        conclude($isSold, !($http === 422 && $words === ['fail', 'failed']), $reply);
    case 'process-is-sold':
        [, $reply] = post('/api/topup/', json_encode($a), "Token $key");
        conclude($reply['status'] === 'process', false, $reply);
    case 'sells-what-is-pending':
        [, $reply] = post('/api/topup/', json_encode($b), "Token $key");
        conclude(!isset($reply['error']), false, $reply);
    case 'sells-what-is-pending-a':
        [$http, $reply] = post('/api/topup/', json_encode($a), "Token $key");
        conclude($http >= 200 && $http < 300, false, $reply);
}
